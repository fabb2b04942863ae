//! TensorBoard's event files, so that curves of training can be watched in a tool that many know.
//!
//! A file is a row of records, each with its length and two masked checksums (TFRecord), and each
//! record is a protocol buffer (`tensorflow/core/util/event.proto`). The few fields that scalars
//! need are written by hand.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISCSI, Crc, Table};

/// The checksum that TFRecord calls CRC32C.
const CRC32C: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);
/// What the first record of every file says.
const VERSION: &str = "brain.Event:2";
/// Length and its checksum before a record, and a checksum after it.
const HEAD: usize = 12;
const TAIL: usize = 4;

/// Writes scalars to one event file.
#[derive(Debug)]
pub struct EventWriter {
    file: BufWriter<File>,
    path: PathBuf,
}

impl EventWriter {
    /// A new file `events.out.tfevents.<seconds>.<suffix>` in a folder, which is made if it is
    /// missing. A file of that name is never overwritten. The time counts from 1970 in seconds.
    pub fn create(folder: &Path, wall_time_seconds: f64, suffix: &str) -> io::Result<EventWriter> {
        if !(0.0..1e15).contains(&wall_time_seconds) {
            let met = format!("met wall time {wall_time_seconds}, expected seconds since 1970");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, met));
        }
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) {
            let met = format!("met suffix {suffix:?}, expected a part of a file's name");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, met));
        }
        fs::create_dir_all(folder)?;
        // Ten digits, as TensorBoard writes them, so that names sort by time.
        let seconds = wall_time_seconds as u64;
        let path = folder.join(format!("events.out.tfevents.{seconds:010}.{suffix}"));
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let mut writer = EventWriter { file: BufWriter::new(file), path };
        writer.record(&version(wall_time_seconds))?;
        writer.flush()?;
        Ok(writer)
    }

    /// Goes on with a file. What a crash left behind its last whole record is cut off: readers stop
    /// there, and would never see what follows.
    pub fn append(path: &Path) -> io::Result<EventWriter> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let whole = whole_records(&mut file)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        Ok(EventWriter { file: BufWriter::new(file), path: path.to_owned() })
    }

    /// Where the file lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds one point of the curve `tag`. The time counts from 1970 in seconds.
    pub fn scalar(&mut self, wall_time: f64, step: u64, tag: &str, value: f32) -> io::Result<()> {
        self.record(&scalar(wall_time, step, tag, value))
    }

    /// Says that the curves go on from here: readers drop what earlier files of the folder have
    /// at this step and after it.
    pub fn restart(&mut self, wall_time: f64, step: u64) -> io::Result<()> {
        self.record(&restart(wall_time, step))
    }

    /// Makes what was added visible to readers.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    fn record(&mut self, data: &[u8]) -> io::Result<()> {
        let length = (data.len() as u64).to_le_bytes();
        self.file.write_all(&length)?;
        self.file.write_all(&masked_checksum(&length))?;
        self.file.write_all(data)?;
        self.file.write_all(&masked_checksum(data))
    }
}

/// How many bytes of a file are whole records, the first of which must name the version.
fn whole_records(file: &mut File) -> io::Result<u64> {
    let size = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let mut whole = 0;
    while let Some(data) = next_record(&mut reader, size - whole)? {
        // Time (9 bytes), then the version as field 3: a tag, a length and the text.
        let named = data.get(11..).is_some_and(|text| text.starts_with(VERSION.as_bytes()));
        if whole == 0 && !named {
            break;
        }
        whole += (HEAD + data.len() + TAIL) as u64;
    }
    if whole == 0 {
        // Cutting it back would empty a file of another kind.
        let met = "met a file without a version record, expected TensorBoard events";
        return Err(io::Error::new(io::ErrorKind::InvalidData, met));
    }
    Ok(whole)
}

/// The record at the reader's place, if all of it is there and its checksums hold.
fn next_record(reader: &mut impl Read, left: u64) -> io::Result<Option<Vec<u8>>> {
    let frame = (HEAD + TAIL) as u64;
    if left < frame {
        return Ok(None);
    }
    let mut length = [0; 8];
    reader.read_exact(&mut length)?;
    let mut checksum = [0; 4];
    reader.read_exact(&mut checksum)?;
    let size = u64::from_le_bytes(length);
    if checksum != masked_checksum(&length) || size > left - frame {
        return Ok(None);
    }
    let mut data = vec![0; size as usize];
    reader.read_exact(&mut data)?;
    reader.read_exact(&mut checksum)?;
    Ok((checksum == masked_checksum(&data)).then_some(data))
}

/// Checksums that are stored beside data are rotated and shifted, so that a checksum over data
/// with checksums inside stays sound.
fn masked_checksum(data: &[u8]) -> [u8; 4] {
    CRC32C.checksum(data).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

fn version(wall_time: f64) -> Vec<u8> {
    let mut event = Vec::new();
    put_double(&mut event, 1, wall_time);
    put_bytes(&mut event, 3, VERSION.as_bytes());
    event
}

fn scalar(wall_time: f64, step: u64, tag: &str, number: f32) -> Vec<u8> {
    let mut value = Vec::new();
    put_bytes(&mut value, 1, tag.as_bytes());
    put_float(&mut value, 2, number);
    let mut summary = Vec::new();
    put_bytes(&mut summary, 1, &value);
    let mut event = moment(wall_time, step);
    put_bytes(&mut event, 5, &summary);
    event
}

fn restart(wall_time: f64, step: u64) -> Vec<u8> {
    let mut event = moment(wall_time, step);
    // A session log (field 7) whose status (field 1) is START (1).
    put_bytes(&mut event, 7, &[1 << 3, 1]);
    event
}

/// An event with its time and its step, and nothing else yet.
fn moment(wall_time: f64, step: u64) -> Vec<u8> {
    let mut event = Vec::new();
    put_double(&mut event, 1, wall_time);
    // Protocol buffers leave out zeros.
    if step > 0 {
        put_varint(&mut event, 2 << 3);
        // A signed number in the file.
        put_varint(&mut event, step.min(i64::MAX as u64));
    }
    event
}

fn put_double(buffer: &mut Vec<u8>, field: u64, number: f64) {
    put_varint(buffer, field << 3 | 1);
    buffer.extend(number.to_le_bytes());
}

fn put_float(buffer: &mut Vec<u8>, field: u64, number: f32) {
    put_varint(buffer, field << 3 | 5);
    buffer.extend(number.to_le_bytes());
}

fn put_bytes(buffer: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    put_varint(buffer, field << 3 | 2);
    put_varint(buffer, bytes.len() as u64);
    buffer.extend(bytes);
}

fn put_varint(buffer: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        buffer.push(number as u8 | 0x80);
        number >>= 7;
    }
    buffer.push(number as u8);
}

#[cfg(test)]
mod tests;
