//! A server of static files for this machine only: `trample play --web`.
//!
//! It listens on 127.0.0.1 and nowhere else, answers GET and HEAD, and gives out nothing but the files of one folder.

use crate::Failure;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Longest request that is read, bytes.
const LONGEST: u64 = 16 << 10;
/// How long a browser may take to ask, and to read, s.
const PATIENCE: Duration = Duration::from_secs(20);

/// Serves a folder until the program is stopped.
pub(crate) fn serve(folder: &Path, port: u16) -> Result<bool, Failure> {
    if !folder.join("index.html").is_file() {
        let problem = format!("{}: there is no page here; build it with: cargo xtask web", folder.display());
        return Err(problem.into());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("http://{}/ - stop with Ctrl+C", listener.local_addr()?);
    accept(&listener, folder);
    Ok(true)
}

fn accept(listener: &TcpListener, folder: &Path) {
    for stream in listener.incoming().flatten() {
        let folder = folder.to_path_buf();
        // A browser asks for several files at once, and one that dawdles must not hold up the others.
        std::thread::spawn(move || {
            let _ = answer(stream, &folder);
        });
    }
}

fn answer(stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?).take(LONGEST);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut stream = stream;
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return refuse(&mut stream, "405 Method Not Allowed");
    }
    let opened = place(folder, target).and_then(|path| Some((File::open(&path).ok()?, path)));
    let Some((mut file, path)) = opened.filter(|(file, _)| file.metadata().is_ok_and(|m| m.is_file())) else {
        return refuse(&mut stream, "404 Not Found");
    };
    let length = file.metadata()?.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
        kind(&path)
    )?;
    if method == "GET" {
        std::io::copy(&mut file, &mut stream)?;
    }
    stream.flush()
}

fn refuse(stream: &mut TcpStream, status: &str) -> std::io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{status}",
        status.len()
    )
}

/// The file that a request asks for: only plain names below the folder, nothing hidden, nothing above.
fn place(folder: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or_default().strip_prefix('/')?;
    let path = if path.is_empty() { "index.html" } else { path };
    let plain = Path::new(path).components().all(|part| match part {
        Component::Normal(name) => !name.to_string_lossy().starts_with('.'),
        _ => false,
    });
    (plain && !path.contains(['\\', '%', '\0'])).then(|| folder.join(path))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript",
        "wasm" => "application/wasm",
        "css" => "text/css",
        "png" => "image/png",
        "json" => "application/json",
        "toml" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(request: &str) -> String {
        let folder = tempfile::tempdir().expect("folder");
        std::fs::write(folder.path().join("index.html"), "<p>page</p>").expect("written");
        std::fs::write(folder.path().join("a.wasm"), [0, 1, 2]).expect("written");
        std::fs::write(folder.path().join(".hidden"), "no").expect("written");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("address");
        assert!(address.ip().is_loopback());
        let own = folder.path().to_path_buf();
        std::thread::spawn(move || accept(&listener, &own));
        let mut stream = TcpStream::connect(address).expect("connects");
        stream.write_all(request.as_bytes()).expect("asks");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn the_page_and_its_files_are_served_with_their_kinds() {
        let page = ask("GET /?scene=walk-mud HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("text/html") && page.ends_with("<p>page</p>"),
            "{page}"
        );
        let wasm = ask("GET /a.wasm HTTP/1.1\r\n\r\n");
        assert!(wasm.contains("application/wasm") && wasm.contains("Content-Length: 3"), "{wasm}");
        assert!(ask("HEAD / HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
    }

    #[test]
    fn nothing_above_or_hidden_is_given_out() {
        for target in
            ["/../Cargo.toml", "/.hidden", "//etc/passwd", "/a/../../x", "/%2e%2e/x", "x", "/missing"]
        {
            let answer = ask(&format!("GET {target} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 404"), "{target}: {answer}");
        }
        assert!(ask("POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
    }
}
