//! Says which agents of `agents/` are there to embed: a package from crates.io has only the small ones.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rustc-check-cfg=cfg(agent, values(any()))");
    if env::var_os("CARGO_FEATURE_EMBEDDED").is_none() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if let Some(name) = name.to_str().and_then(|name| name.strip_suffix(".safetensors")) {
            println!("cargo::rustc-cfg=agent={name:?}");
        }
    }
    Ok(())
}
