//! The page in a real browser: Debian's Chromium, driven by playwright-core.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, bail};

/// Names under which a Chromium may be installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Opens every tab of the page in a browser, with the program that the tests have built. What is
/// missing (a browser, Node.js) is installed; screenshots stay in `target/page-screenshots`.
pub(crate) fn test() -> anyhow::Result<()> {
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from);
    let target = crate::root().join(target);
    let program = target.join("debug/afterstate");
    if !program.is_file() {
        bail!("{} is missing: the tests build it", program.display());
    }
    let browser = match BROWSERS.iter().find_map(|name| found(name)) {
        Some(browser) => browser,
        None => installed("chromium", "chromium")?,
    };
    let node = found("node").map_or_else(|| installed("node", "nodejs"), Ok)?;
    let npm = found("npm").map_or_else(|| installed("npm", "npm"), Ok)?;
    let folder = target.join("page-tests");
    copied(&crate::root().join("crates/serve/tests/page"), &folder)?;
    if !is_current(&folder) {
        // No script of a package is run, and no browser is fetched: the driver is all that is needed.
        let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        crate::step("the browser's driver", Command::new(npm).args(install).current_dir(&folder))?;
    }
    let mut command = Command::new(node);
    command.args(["--test", "--test-reporter=spec", "page.test.mjs"]).current_dir(&folder);
    command.env("AFTERSTATE_PROGRAM", program).env("AFTERSTATE_BROWSER", browser);
    command.env("AFTERSTATE_SCREENSHOTS", target.join("page-screenshots"));
    crate::step("the page in a browser", &mut command)
}

/// Where a program is.
fn found(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Installs a Debian package and returns the program that it brings.
fn installed(program: &str, package: &str) -> anyhow::Result<PathBuf> {
    let wanted = format!(
        "the page is tested with {program}: install it (Debian: apt-get install {package})"
    );
    if found("apt-get").is_none() {
        bail!("{wanted}");
    }
    let quiet = ["-qq", "-o=Dpkg::Use-Pty=0"];
    let mut update = Command::new("apt-get");
    crate::step("what Debian has", update.args(quiet).arg("update")).context(wanted.clone())?;
    let mut install = Command::new("apt-get");
    install.args(quiet).args(["install", "-y", "--no-install-recommends", package]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    crate::step(&format!("installing {package}"), &mut install).context(wanted.clone())?;
    found(program).context(wanted)
}

/// Copies the files of a folder.
fn copied(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Whether the driver in a folder is the one that is asked for.
fn is_current(folder: &Path) -> bool {
    let read = |path: &str| -> Option<serde_json::Value> {
        serde_json::from_str(&fs::read_to_string(folder.join(path)).ok()?).ok()
    };
    let asked = read("package.json").map(|json| json["dependencies"]["playwright-core"].clone());
    let there =
        read("node_modules/playwright-core/package.json").map(|json| json["version"].clone());
    asked.is_some() && asked == there
}
