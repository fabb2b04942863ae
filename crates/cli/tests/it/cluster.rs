//! `--cluster` where Python, the package or Ray is missing. `python/tests/test_cluster_shown.py` plays on a real cluster.

use std::process::Output;

use super::harness::{Scratch, program};

/// An evaluation on a cluster by a Python.
fn with_python(python: &str) -> (Option<i32>, String) {
    let words = ["eval", "greedy", "--game", "2048", "--games", "1", "--cluster", "127.0.0.1:1"];
    let Output { status, stdout, stderr } =
        program(&words).env("AFTERSTATE_PYTHON", python).output().unwrap();
    assert!(stdout.is_empty(), "nothing was played");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_python_that_is_missing_is_named() {
    let scratch = Scratch::new("no-python");
    let python = scratch.path("python");
    let (code, errors) = with_python(&python);
    assert_eq!(code, Some(1));
    let sentence = format!("docs/cluster.md installs; {python} cannot be started");
    assert!(errors.contains(&sentence) && errors.lines().count() == 1, "{errors}");
}

/// What answers in the place of Python, by the contract between them: one line.
#[cfg(unix)]
#[test]
fn a_python_without_the_package_or_with_another_version_is_refused() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new("other-python");
    let python = scratch.path("python");
    let own = env!("CARGO_PKG_VERSION");
    for (answer, sentence) in [
        ("echo no afterstate", "has no afterstate".to_owned()),
        ("echo no ray", "has no ray".to_owned()),
        ("exit 3", "failed".to_owned()),
        (
            "echo 9.9.9",
            format!(
                "has the package afterstate 9.9.9, this program is {own}: install the same version"
            ),
        ),
        ("printf '\\377\\n'", "install the same version".to_owned()),
    ] {
        fs::write(&python, format!("#!/bin/sh\n{answer}\n")).unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let (code, errors) = with_python(&python);
        assert_eq!(code, Some(1), "{answer}: {errors}");
        assert!(errors.contains(&sentence) && errors.lines().count() == 1, "{answer}: {errors}");
    }
    // With the right answer it becomes that program, with its words and its exit code.
    let words = scratch.path("words");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = -c ]; then echo {own}; else echo \"$*\" > '{words}'; exit 7; fi\n"
    );
    fs::write(&python, text).unwrap();
    assert_eq!(with_python(&python), (Some(7), String::new()));
    let expected = "-m afterstate eval greedy --game 2048 --games 1 --cluster 127.0.0.1:1\n";
    assert_eq!(fs::read_to_string(words).unwrap(), expected);
}
