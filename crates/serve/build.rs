//! Embeds the pages and figures of `results/` in the program, so that an installed one shows them, too.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // In the repository it is a link to the folder at its root.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") || name.ends_with(".svg") {
                names.push(name);
            }
        }
    } else {
        println!(
            "cargo::warning=the page will show no results: git made no link of {}; `git config \
             core.symlinks true` and a new checkout do",
            folder.display()
        );
    }
    names.sort();
    let mut list = String::from("&[\n");
    for name in names {
        let path = folder.join(&name);
        // Writing to a string cannot fail.
        let _ = writeln!(list, "    ({name:?}, include_str!({path:?})),");
    }
    list += "]\n";
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("results.rs"), list)
}
