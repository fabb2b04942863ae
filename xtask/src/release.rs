//! What a release needs: crates that can be published, and libraries without what they do not need.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use anyhow::{Context, bail};

/// The most bytes of a package on crates.io.
const MAX_PACKAGE: u64 = 10 << 20;

/// What a program that uses a library crate must not link: fonts and a server.
const UNWANTED: [&str; 5] =
    ["afterstate-render", "afterstate-serve", "axum", "tokio", "ttf-noto-sans"];

/// Publishes every crate without uploading it, which compiles each as crates.io has it.
pub(crate) fn package() -> anyhow::Result<()> {
    let target = crate::target().join("publish");
    forget(&target)?;
    let cargo = |what: &str, arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).arg("--workspace").arg("--target-dir").arg(&target);
        crate::step(what, &mut command)
    };
    cargo("the packages", &["package", "--exclude=xtask", "--no-verify", "--quiet"])?;
    let packages = target.join("package");
    for entry in fs::read_dir(&packages).with_context(|| format!("cannot read {packages:?}"))? {
        let path = entry?.path();
        let bytes = fs::metadata(&path)?.len();
        if path.extension().is_some_and(|end| end == "crate") && bytes > MAX_PACKAGE {
            bail!(
                "{} has {bytes} bytes, and crates.io takes {MAX_PACKAGE}: exclude files in its \
                 Cargo.toml",
                path.display()
            );
        }
    }
    cargo("a dry run of the publication", &["publish", "--dry-run"])
}

/// Removes what the last dry run left: cargo would compile its sources again, whatever has changed,
/// for a version of a published crate never changes.
fn forget(target: &Path) -> anyhow::Result<()> {
    let remove = |folder: &Path| match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    };
    remove(target)?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let sources = home.context("there is no home folder")?.join("registry/src");
    for registry in fs::read_dir(sources).into_iter().flatten().flatten() {
        // Only the registry of a dry run has no name before the hyphen.
        if registry.file_name().to_string_lossy().starts_with('-') {
            let crates = fs::read_dir(registry.path())?.flatten();
            let own = crates
                .filter(|entry| entry.file_name().to_string_lossy().starts_with("afterstate-"));
            own.map(|entry| entry.path()).try_for_each(|folder| remove(&folder))?;
        }
    }
    Ok(())
}

/// The crates without their features: they compile, and a library links neither agents nor fonts nor
/// a server.
pub(crate) fn features() -> anyhow::Result<()> {
    let clippy = |package: &str| {
        let arguments = ["clippy", "-p", package, "--no-default-features", "--", "-D", "warnings"];
        crate::cargo(&format!("{package} without features"), &arguments)
    };
    clippy("afterstate")?;
    clippy("afterstate-engine")?;
    let tree = ["tree", "--edges=normal", "--prefix=none", "--format={p} {f}"];
    let tree = Command::new("cargo")
        .args(tree)
        .args(["--package=afterstate-engine", "--no-default-features"])
        .current_dir(crate::root())
        .output()?;
    let tree = String::from_utf8(tree.stdout)?;
    if !tree.contains("afterstate-agents") {
        bail!("cargo tree does not list the dependencies of afterstate-engine: {tree}");
    }
    for line in tree.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        if UNWANTED.contains(&name) || line.contains("embedded") {
            bail!("a program that uses afterstate-engine must not link {line}");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The folders of the published crates.
    fn crates() -> Vec<PathBuf> {
        let folders = fs::read_dir(crate::root().join("crates")).unwrap();
        folders.map(|folder| folder.unwrap().path()).collect()
    }

    #[test]
    fn one_rust_version_is_stated_and_tested() {
        let manifest = read(&crate::root().join("Cargo.toml"));
        let version = manifest.split("rust-version = \"").nth(1).unwrap();
        let version = version.split('"').next().unwrap();
        for (file, text) in [
            ("README.md", format!("Rust {version} or newer")),
            (".github/workflows/test.yml", format!("cargo +{version} test")),
        ] {
            assert!(read(&crate::root().join(file)).contains(&text), "{file} must have {text:?}");
        }
    }

    #[test]
    fn every_crate_can_be_published() {
        for folder in crates() {
            for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
                assert!(read(&folder.join(file)).len() > 100, "{}: {file}", folder.display());
            }
            let manifest = read(&folder.join("Cargo.toml"));
            for key in ["description", "keywords", "categories", "license"] {
                let has = manifest.lines().any(|line| line.starts_with(key));
                assert!(has, "{} has no {key}", folder.display());
            }
        }
        let root = read(&crate::root().join("Cargo.toml"));
        let version = root.split("\nversion = \"").nth(1).unwrap().split('"').next().unwrap();
        let own = root.lines().filter(|line| line.starts_with("afterstate-"));
        for line in own {
            assert!(line.contains(&format!("version = \"{version}\"")), "{line}");
        }
    }

    /// The sources of a folder and its subfolders.
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    /// A package has nothing of other folders, so that a path out of a crate breaks what is published.
    #[test]
    fn crates_include_nothing_from_outside() {
        for folder in crates() {
            let mut files = Vec::new();
            sources(&folder.join("src"), &mut files);
            files.extend(Some(folder.join("build.rs")).filter(|file| file.is_file()));
            for file in files {
                let deep = file.strip_prefix(&folder).unwrap().components().count() - 1;
                let outside = "../".repeat(deep + 1);
                for line in read(&file).lines() {
                    let included = line.contains("include") || line.contains("#[path");
                    let leaves = (included && line.contains(&outside))
                        || (line.contains("CARGO_MANIFEST_DIR") && line.contains("\"../"));
                    assert!(!leaves, "{}: {line}", file.display());
                }
            }
        }
    }
}
