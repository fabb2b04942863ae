//! Numbers the sources that the package is built from: nodes of a cluster that have others are refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the package is made of, from the root of the project.
const SOURCES: [&str; 4] = ["Cargo.lock", "crates", "python/src", "python/afterstate"];

/// Folders that are no part of it.
const OTHERS: [&str; 3] = ["tests", "target", "__pycache__"];

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed=../{source}");
        list(&root, Path::new(source), &mut files)?;
    }
    files.sort();
    // FNV-1a, of names and contents.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    for file in files {
        let name = file.to_string_lossy().replace('\\', "/");
        name.bytes().for_each(&mut add);
        add(0);
        fs::read(root.join(&file))?.into_iter().for_each(&mut add);
        add(0);
    }
    println!("cargo::rustc-env=AFTERSTATE_SOURCES={hash:016x}");
    Ok(())
}

/// The files at or below a path; none where a package of the sources leaves it out.
fn list(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let full = root.join(path);
    if full.is_file() {
        // Compiled parts, which editable installations leave beside the sources.
        let compiled = path.extension().is_some_and(|end| end == "so" || end == "pyd");
        if !compiled {
            files.push(path.to_owned());
        }
    } else if full.is_dir() {
        for entry in fs::read_dir(full)? {
            let name = entry?.file_name();
            if !OTHERS.iter().any(|other| name == **other) {
                list(root, &path.join(name), files)?;
            }
        }
    }
    Ok(())
}
