//! Event files: the bytes of TensorBoard, and reading back.

use super::*;

/// Length and its checksum before a record, and a checksum after it.
const HEAD: usize = 12;
const TAIL: usize = 4;

/// A temporary folder, removed with this value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("afterstate-events-{name}-{}", std::process::id());
        Folder(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The records of a file; their checksums are checked.
fn records(bytes: &[u8]) -> Vec<&[u8]> {
    let mut records = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (head, after) = rest.split_at(HEAD);
        assert_eq!(head[8..], masked_checksum(&head[..8]));
        let length = u64::from_le_bytes(head[..8].try_into().unwrap()) as usize;
        let (data, after) = after.split_at(length);
        assert_eq!(after[..TAIL], masked_checksum(data));
        records.push(data);
        rest = &after[TAIL..];
    }
    records
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The Python package tensorboard 2.x writes these bytes.
#[test]
fn the_bytes_are_those_of_tensorboard() {
    let folder = Folder::new("golden");
    let mut writer = EventWriter::create(&folder.0, 1_700_000_000.5, "test").unwrap();
    writer.scalar(1_700_000_001.25, 300, "score/mean", 1.5).unwrap();
    writer.flush().unwrap();
    assert_eq!(writer.path(), folder.0.join("events.out.tfevents.1700000000.test"));
    assert_eq!(
        hex(&fs::read(writer.path()).unwrap()),
        "1800000000000000a37f4b220900002040fc54d9411a0d627261696e2e4576656e743a322b353110\
         2100000000000000017becf60900005040fc54d94110ac022a130a110a0a73636f72652f6d65616e\
         150000c03ff6259c21"
    );
}

#[test]
fn a_restart_is_a_session_log() {
    // Time, step 300 as field 2, and field 7: a message of two bytes, field 1 = 1.
    let time = "0900002040fc54d941";
    assert_eq!(hex(&restart(1_700_000_000.5, 300)), format!("{time}10ac023a020801"));
}

#[test]
fn the_checksum_is_crc32c() {
    // The check value of RFC 3720 and of the catalogue of CRCs.
    assert_eq!(CRC32C.checksum(b"123456789"), 0xe306_9283);
}

#[test]
fn records_read_back() {
    let folder = Folder::new("back");
    let mut writer = EventWriter::create(&folder.0, 1.0, "test").unwrap();
    for step in [0, 1, 127, 128, 300_000, u64::MAX] {
        writer.scalar(2.0, step, "Größe", step as f32).unwrap();
    }
    writer.flush().unwrap();
    let bytes = fs::read(writer.path()).unwrap();
    let records = records(&bytes);
    assert_eq!(records[0], version(1.0));
    assert_eq!(records.len(), 7);
    assert_eq!(records[4], scalar(2.0, 128, "Größe", 128.0));
}

#[test]
fn other_files_are_not_changed() {
    let folder = Folder::new("other");
    let writer = EventWriter::create(&folder.0, 1.0, "test").unwrap();
    fs::write(writer.path(), "Notes that must stay").unwrap();
    let error = EventWriter::create(&folder.0, 1.0, "test").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(writer.path()).unwrap(), b"Notes that must stay");
    assert!(EventWriter::create(&folder.0, f64::NAN, "test").is_err());
    assert!(EventWriter::create(&folder.0, 1.0, "../test").is_err());
}
