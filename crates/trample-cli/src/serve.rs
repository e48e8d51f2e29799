//! A server of static files for this machine only: `trample play --web`.
//!
//! It listens on 127.0.0.1 and nowhere else, answers GET and HEAD, and gives out nothing but the files of one folder. A page elsewhere that
//! gets a browser to ask here under its own name is refused by the `Host` header. A few threads answer; clients that dawdle are cut off, and
//! those that come while all threads and places to wait are taken are sent away, so that nobody can take all of a machine.

use crate::Failure;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest request that is read, bytes.
const LONGEST: usize = 16 << 10;
/// Threads that answer: a browser asks for six files at once. Our choice.
const THREADS: usize = 8;
/// Clients that may wait for one of them.
const WAITING: usize = 32;

/// How long clients may take.
#[derive(Clone, Copy)]
struct Patience {
    /// To ask, from when they came: a crowd that dawdles is gone at once and not one after the other.
    ask: Duration,
    /// To take the whole answer.
    take: Duration,
}

/// What one has at least who had to wait for others: what was asked is there by then. Our choice.
const GRACE: Duration = Duration::from_millis(100);

const PATIENCE: Patience = Patience { ask: Duration::from_secs(5), take: Duration::from_secs(60) };

/// What every answer says. The page has its script and style inside it, runs WebAssembly, and hands out what it made as blobs.
const HEADERS: &str = "Cache-Control: no-cache\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self' data: blob:; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'\r\n";

/// Serves a folder until the program is stopped.
pub(crate) fn serve(folder: &Path, port: u16) -> Result<bool, Failure> {
    if !folder.join("index.html").is_file() {
        let problem = format!("{}: there is no page here; build it with: cargo xtask web", folder.display());
        return Err(problem.into());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    println!("http://{}/ - stop with Ctrl+C", listener.local_addr()?);
    accept(&listener, folder, PATIENCE)?;
    Ok(true)
}

fn accept(listener: &TcpListener, folder: &Path, patience: Patience) -> Result<(), Failure> {
    // Links may lead out of the folder: files are compared with where it really is.
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    let port = listener.local_addr()?.port();
    let (give, take) = sync_channel::<(TcpStream, Instant)>(WAITING);
    let take = Arc::new(Mutex::new(take));
    for _ in 0..THREADS {
        let (folder, take) = (folder.clone(), Arc::clone(&take));
        let next = move |take: &Mutex<Receiver<(TcpStream, Instant)>>| {
            take.lock().unwrap_or_else(PoisonError::into_inner).recv()
        };
        std::thread::Builder::new().spawn(move || {
            while let Ok(client) = next(&take) {
                let _ = answer(client, &folder, port, patience);
            }
        })?;
    }
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                if let Err(refused) = give.try_send((stream, Instant::now())) {
                    let (std::sync::mpsc::TrySendError::Full((mut stream, _))
                    | std::sync::mpsc::TrySendError::Disconnected((mut stream, _))) = refused;
                    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
                    let _ = refuse(&mut stream, "503 Service Unavailable");
                }
            }
            // No descriptors are left, or a client went away at once: others are served in the meantime.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// The lines of a request that has come by then; else what to answer.
fn request(stream: &mut TcpStream, until: Instant) -> Result<Vec<String>, &'static str> {
    let mut bytes = Vec::new();
    let end = |bytes: &[u8]| bytes.windows(4).position(|w| w == b"\r\n\r\n");
    while end(&bytes).is_none() {
        let left = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
        let left = left.ok_or("408 Request Timeout")?;
        stream.set_read_timeout(Some(left)).map_err(|_| "500 Internal Server Error")?;
        let mut piece = [0; 2048];
        match stream.read(&mut piece) {
            Ok(0) => return Err("400 Bad Request"),
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Err("408 Request Timeout"),
        }
        if bytes.len() > LONGEST {
            return Err("431 Request Header Fields Too Large");
        }
    }
    let text = String::from_utf8(bytes).map_err(|_| "400 Bad Request")?;
    Ok(text.split("\r\n").map(String::from).collect())
}

/// Whether a request is meant for this server and not for a name that somebody else has led here.
fn is_ours(lines: &[String], port: u16) -> bool {
    let header =
        |line: &&String| line.split_once(':').filter(|(k, _)| k.eq_ignore_ascii_case("host")).is_some();
    let mut hosts = lines.iter().skip(1).filter(header).filter_map(|line| line.split_once(':'));
    let (Some((_, host)), None) = (hosts.next(), hosts.next()) else { return false };
    let host = host.trim().to_ascii_lowercase();
    ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|name| host == format!("{name}:{port}") || port == 80 && host == *name)
}

fn answer(
    (mut stream, came): (TcpStream, Instant),
    folder: &Path,
    port: u16,
    patience: Patience,
) -> io::Result<()> {
    stream.set_write_timeout(Some(patience.ask))?;
    let lines = match request(&mut stream, (came + patience.ask).max(Instant::now() + GRACE)) {
        Ok(lines) => lines,
        Err(status) => return refuse(&mut stream, status),
    };
    if !is_ours(&lines, port) {
        return refuse(&mut stream, "421 Misdirected Request");
    }
    let mut words = lines[0].split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return refuse(&mut stream, "405 Method Not Allowed");
    }
    let is_inside = |path: &PathBuf| path.canonicalize().is_ok_and(|p| p.starts_with(folder) && p.is_file());
    let opened =
        place(folder, target).filter(is_inside).and_then(|path| Some((File::open(&path).ok()?, path)));
    let Some((mut file, path)) = opened else { return refuse(&mut stream, "404 Not Found") };
    let length = file.metadata()?.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {length}\r\n{HEADERS}\r\n",
        kind(&path)
    )?;
    let begun = Instant::now();
    let mut piece = vec![0; 64 << 10];
    while method == "GET" && begun.elapsed() < patience.take {
        let n = file.read(&mut piece)?;
        if n == 0 {
            break;
        }
        stream.write_all(&piece[..n])?;
    }
    stream.flush()
}

fn refuse(stream: &mut TcpStream, status: &str) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{HEADERS}\r\n{status}", status.len())
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
    use std::net::SocketAddr;

    /// A server of a small page that waits half a second at most.
    fn served() -> (tempfile::TempDir, SocketAddr) {
        served_within(Duration::from_millis(500))
    }

    fn served_within(ask: Duration) -> (tempfile::TempDir, SocketAddr) {
        let whole = tempfile::tempdir().expect("folder");
        let folder = whole.path().join("page");
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(folder.join("index.html"), "<p>page</p>").expect("written");
        std::fs::write(folder.join("a.wasm"), [0, 1, 2]).expect("written");
        std::fs::write(folder.join(".hidden"), "no").expect("written");
        std::fs::write(whole.path().join("secret.txt"), "secret").expect("written");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.txt", folder.join("out.txt")).expect("linked");
            std::os::unix::fs::symlink("..", folder.join("up")).expect("linked");
            std::os::unix::fs::symlink("a.wasm", folder.join("b.wasm")).expect("linked");
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("address");
        assert!(address.ip().is_loopback());
        let patience = Patience { ask, take: Duration::from_secs(2) };
        std::thread::spawn(move || accept(&listener, &folder, patience));
        (whole, address)
    }

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("connects");
        stream.write_all(request.as_bytes()).expect("asks");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for something as a browser on this machine does.
    fn get(address: SocketAddr, line: &str) -> String {
        ask(address, &format!("{line} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
    }

    #[test]
    fn the_page_and_its_files_are_served_with_their_kinds() {
        let (_folder, address) = served();
        let page = get(address, "GET /?scene=walk-mud");
        assert!(
            page.starts_with("HTTP/1.1 200") && page.contains("text/html") && page.ends_with("<p>page</p>"),
            "{page}"
        );
        for header in ["Content-Security-Policy: default-src 'self'", "nosniff", "Opener-Policy: same-origin"]
        {
            assert!(page.contains(header), "{header}: {page}");
        }
        let wasm = get(address, "GET /a.wasm");
        assert!(wasm.contains("application/wasm") && wasm.contains("Content-Length: 3"), "{wasm}");
        assert!(get(address, "HEAD /").ends_with("\r\n\r\n"));
        #[cfg(unix)]
        assert!(get(address, "GET /b.wasm").starts_with("HTTP/1.1 200"), "a link inside the folder");
    }

    #[test]
    fn nothing_above_or_hidden_or_behind_a_link_is_given_out() {
        let (_folder, address) = served();
        for target in [
            "/../Cargo.toml",
            "/.hidden",
            "//etc/passwd",
            "/a/../../x",
            "/%2e%2e/x",
            "x",
            "/missing",
            "/out.txt",
            "/up/secret.txt",
            "/up",
        ] {
            let answer = get(address, &format!("GET {target}"));
            assert!(answer.starts_with("HTTP/1.1 404") && !answer.ends_with("secret"), "{target}: {answer}");
        }
        assert!(get(address, "POST /").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn only_who_asks_for_this_machine_by_its_own_name_is_answered() {
        let (_folder, address) = served();
        let port = address.port();
        for host in [format!("localhost:{port}"), format!("LOCALHOST:{port}"), format!("[::1]:{port}")] {
            let answer = ask(address, &format!("GET / HTTP/1.1\r\nhost:{host}\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 200"), "{host}: {answer}");
        }
        let other = port.wrapping_add(1);
        for hosts in [
            String::new(),
            format!("Host: evil.example:{port}\r\n"),
            "Host: localhost\r\n".into(),
            format!("Host: localhost:{other}\r\n"),
            format!("Host: localhost:{port}\r\nHost: evil.example\r\n"),
        ] {
            let answer = ask(address, &format!("GET / HTTP/1.1\r\n{hosts}\r\n"));
            assert!(answer.starts_with("HTTP/1.1 421"), "{hosts}: {answer}");
        }
    }

    #[test]
    fn clients_that_dawdle_say_too_much_or_come_in_crowds_stop_nobody() {
        let (_folder, address) = served_within(Duration::from_secs(2));
        let long = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}\r\n", "x".repeat(LONGEST));
        assert!(ask(address, &long).starts_with("HTTP/1.1 431") || ask(address, &long).is_empty());
        // More than there are threads and places to wait, none of which ever ends its request.
        let crowd: Vec<TcpStream> = (0..2 * (THREADS + WAITING))
            .filter_map(|_| {
                let mut stream = TcpStream::connect(address).ok()?;
                stream.write_all(b"GET / HT").ok()?;
                Some(stream)
            })
            .collect();
        let begun = Instant::now();
        while !get(address, "GET /").starts_with("HTTP/1.1 200") {
            // All that wait are cut off after two seconds, where one after the other would take ten.
            assert!(begun.elapsed() < Duration::from_secs(7), "nobody is served");
            std::thread::sleep(Duration::from_millis(100));
        }
        drop(crowd);
    }
}
