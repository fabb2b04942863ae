//! The page in a real browser: Debian's Chromium, driven by playwright-core.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, bail};

/// Names under which a Chromium may be installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What the tests of the page run with.
pub(crate) struct Tools {
    browser: PathBuf,
    node: PathBuf,
    npm: PathBuf,
}

impl Tools {
    /// Looks for them; what is missing is installed only where that was asked for.
    pub(crate) fn find(install: bool) -> anyhow::Result<Tools> {
        let browser = || BROWSERS.iter().find_map(|name| found(name));
        let (node, npm) = (|| found("node"), || found("npm"));
        let tools = [("chromium", browser()), ("nodejs", node()), ("npm", npm())];
        let missing: Vec<&str> =
            tools.iter().filter(|tool| tool.1.is_none()).map(|tool| tool.0).collect();
        let packages = missing.join(" ");
        let hint = format!(
            "the page is tested in a browser, and this machine lacks {}: `apt-get install \
             {packages}` installs it on Debian and Ubuntu, and with --install this command does",
            missing.join(" and ")
        );
        if !missing.is_empty() {
            if !install {
                bail!("{hint}");
            }
            apt_get(&missing).context(hint.clone())?;
        }
        match (browser(), node(), npm()) {
            (Some(browser), Some(node), Some(npm)) => Ok(Tools { browser, node, npm }),
            _ => bail!("{hint}"),
        }
    }
}

/// Opens every tab of the page in a browser, with the program that the tests have built. Screenshots
/// stay in `target/page-screenshots`.
pub(crate) fn test(tools: Tools) -> anyhow::Result<()> {
    let target = crate::target();
    let program = target.join("debug/afterstate");
    if !program.is_file() {
        bail!("{} is missing: the tests build it", program.display());
    }
    let Tools { browser, node, npm } = tools;
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
pub(crate) fn found(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Installs Debian packages.
pub(crate) fn apt_get(packages: &[&str]) -> anyhow::Result<()> {
    let quiet = ["-qq", "-o=Dpkg::Use-Pty=0"];
    crate::step("what Debian has", Command::new("apt-get").args(quiet).arg("update"))?;
    let mut install = Command::new("apt-get");
    install.args(quiet).args(["install", "-y", "--no-install-recommends"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    crate::step(&format!("installing {}", packages.join(", ")), &mut install)
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
