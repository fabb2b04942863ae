//! TensorBoard's event files: the curves of a training in a widespread tool.
//!
//! A file is a sequence of records, each with its length and two masked checksums (TFRecord), and
//! each record is a protocol buffer (`tensorflow/core/util/event.proto`). The few fields of scalars
//! are encoded here.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crc::{CRC_32_ISCSI, Crc, Table};

/// The checksum that TFRecord calls CRC32C.
const CRC32C: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);
/// The version in the first record of every file.
const VERSION: &str = "brain.Event:2";

/// Writes scalars to one event file.
#[derive(Debug)]
pub struct EventWriter {
    file: BufWriter<File>,
    path: PathBuf,
}

impl EventWriter {
    /// A new file `events.out.tfevents.<seconds>.<suffix>` in a folder, which is created if it is
    /// missing. An existing file is an error. The time is in seconds since 1970.
    pub fn create(folder: &Path, wall_time_seconds: f64, suffix: &str) -> io::Result<EventWriter> {
        let invalid = |error: String| Err(io::Error::new(io::ErrorKind::InvalidInput, error));
        if !(0.0..1e15).contains(&wall_time_seconds) {
            return invalid(format!(
                "invalid time {wall_time_seconds}: expected seconds since 1970"
            ));
        }
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) {
            return invalid(format!("invalid suffix {suffix:?}: expected a part of a file name"));
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

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a point to the curve `tag`. The time is in seconds since 1970.
    pub fn scalar(&mut self, wall_time: f64, step: u64, tag: &str, value: f32) -> io::Result<()> {
        self.record(&scalar(wall_time, step, tag, value))
    }

    /// Marks that the curves resume here: readers drop the points of earlier files of the folder
    /// from this step on.
    pub fn restart(&mut self, wall_time: f64, step: u64) -> io::Result<()> {
        self.record(&restart(wall_time, step))
    }

    /// Writes buffered records to the file.
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

/// Stored checksums are masked (TFRecord), since the checksum of data that contains its own
/// checksum is weak.
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
    put_varint(&mut value, 2 << 3 | 5);
    value.extend(number.to_le_bytes());
    let mut summary = Vec::new();
    put_bytes(&mut summary, 1, &value);
    let mut event = stamped(wall_time, step);
    put_bytes(&mut event, 5, &summary);
    event
}

fn restart(wall_time: f64, step: u64) -> Vec<u8> {
    let mut event = stamped(wall_time, step);
    // A session log (field 7) whose status (field 1) is START (1).
    put_bytes(&mut event, 7, &[1 << 3, 1]);
    event
}

/// An event with its time and step, without content.
fn stamped(wall_time: f64, step: u64) -> Vec<u8> {
    let mut event = Vec::new();
    put_double(&mut event, 1, wall_time);
    // Protocol buffers omit zeros.
    if step > 0 {
        put_varint(&mut event, 2 << 3);
        // The field is signed.
        put_varint(&mut event, step.min(i64::MAX as u64));
    }
    event
}

fn put_double(buffer: &mut Vec<u8>, field: u64, number: f64) {
    put_varint(buffer, field << 3 | 1);
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
