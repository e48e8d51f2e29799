//! Several files as one: a zip archive of files stored as they are.
//!
//! Our maps are packed by their own formats, so packing them once more would gain little. The same files give the same bytes:
//! every file is dated 1980-01-01, the format's first day.

/// Most files and most bytes in an archive without the format's extensions.
const MOST: (usize, u64) = (u16::MAX as usize, u32::MAX as u64);

/// What an archive needs to be unpacked: version 2.0 of the format.
const VERSION: u16 = 20;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;
/// 1980-01-01.
const DATE: u16 = 1 << 5 | 1;

/// An archive that is being made.
#[derive(Debug, Default)]
pub struct Zip {
    files: Vec<u8>,
    directory: Vec<u8>,
    count: usize,
}

impl Zip {
    /// Adds a file; folders in its name are parted by `/`.
    ///
    /// # Errors
    /// If the archive would have more files or bytes than the format can count.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let start = self.files.len();
        let total = (start + self.directory.len() + bytes.len() + 2 * name.len() + 256) as u64;
        if self.count >= MOST.0 || total > MOST.1 || name.len() > usize::from(u16::MAX) {
            return Err(format!(
                "{name}: too much for a zip file, allowed: {} files, {} bytes",
                MOST.0, MOST.1
            ));
        }
        let mut facts = Vec::with_capacity(26);
        for word in [VERSION, UTF8, 0, 0, DATE] {
            facts.extend(word.to_le_bytes());
        }
        for word in [checksum(bytes), bytes.len() as u32, bytes.len() as u32] {
            facts.extend(word.to_le_bytes());
        }
        // The length of the name; nothing more is said of the file.
        facts.extend((name.len() as u16).to_le_bytes());
        facts.extend([0; 2]);
        self.files.extend(b"PK\x03\x04");
        self.files.extend(&facts);
        self.files.extend(name.as_bytes());
        self.files.extend(bytes);
        self.directory.extend(b"PK\x01\x02");
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(&facts);
        // No comment, first disk, no attributes.
        self.directory.extend([0; 10]);
        self.directory.extend((start as u32).to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    /// The whole archive.
    pub fn finish(self) -> Vec<u8> {
        let Self { files: mut out, directory, count } = self;
        let start = out.len() as u32;
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend([count as u16; 2].iter().flat_map(|n| n.to_le_bytes()));
        out.extend((directory.len() as u32).to_le_bytes());
        out.extend(start.to_le_bytes());
        out.extend([0; 2]);
        out
    }
}

/// CRC-32 as zip and PNG use it: the polynomial 0x04C11DB7, bits in reversed order.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let (mut word, mut bit) = (i as u32, 0);
            while bit < 8 {
                word = (word >> 1) ^ (0xEDB8_8320 * (word & 1));
                bit += 1;
            }
            table[i] = word;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |sum: u32, byte| sum >> 8 ^ TABLE[usize::from(sum as u8 ^ byte)])
}

/// The files of an archive of [`Zip`]'s making, found through its directory as any reader finds them.
#[cfg(test)]
pub(crate) fn unpacked(zip: &[u8]) -> Vec<(String, Vec<u8>)> {
    let half = |at: usize| usize::from(u16::from_le_bytes([zip[at], zip[at + 1]]));
    let word = |at: usize| half(at) | half(at + 2) << 16;
    let end = zip.len() - 22;
    assert_eq!(&zip[end..end + 4], b"PK\x05\x06");
    let (count, size, mut at) = (half(end + 10), word(end + 12), word(end + 16));
    assert_eq!(at + size, end);
    let mut files = Vec::new();
    for _ in 0..count {
        assert_eq!(&zip[at..at + 4], b"PK\x01\x02");
        let (sum, length, named, start) = (word(at + 16), word(at + 24), half(at + 28), word(at + 42));
        let name = &zip[at + 46..at + 46 + named];
        assert_eq!(&zip[start..start + 4], b"PK\x03\x04");
        assert_eq!(zip[start + 4..start + 30], zip[at + 6..at + 32], "both headers say the same");
        assert_eq!(&zip[start + 30..start + 30 + named], name);
        let bytes = zip[start + 30 + named..][..length].to_vec();
        assert_eq!(checksum(&bytes) as usize, sum);
        files.push((String::from_utf8(name.to_vec()).expect("a name"), bytes));
        at += 46 + named;
    }
    assert_eq!(at, end);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_catalogues() {
        // The check value that catalogues of CRCs give for CRC-32.
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn what_is_packed_comes_back() {
        let files =
            [("own/höhe.exr", vec![1, 2, 3]), ("own/empty", Vec::new()), ("run.trample", vec![7; 5000])];
        let mut zip = Zip::default();
        for (name, bytes) in &files {
            zip.add(name, bytes).expect("fits");
        }
        let zip = zip.finish();
        let again = unpacked(&zip);
        assert!(again.iter().zip(&files).all(|(a, b)| (a.0.as_str(), &a.1) == (b.0, &b.1)), "{again:?}");
        assert_eq!(again.len(), files.len());
        assert_eq!(unpacked(&Zip::default().finish()), []);
        // By hand: TRAMPLE_ZIP=own.zip cargo test -p trample-play --no-default-features pack && python3 -m zipfile -t own.zip
        if let Some(path) = std::env::var_os("TRAMPLE_ZIP") {
            std::fs::write(path, zip).expect("written");
        }
    }

    #[test]
    fn more_files_than_can_be_counted_are_refused() {
        let mut zip = Zip::default();
        for i in 0..MOST.0 {
            zip.add(&i.to_string(), b"").expect("fits");
        }
        let problem = zip.add("straw", b"").expect_err("one too many");
        assert!(problem.contains("straw") && problem.contains("65535 files"), "{problem}");
    }
}
