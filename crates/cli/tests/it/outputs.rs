//! Output files: what must not be replaced stays, and what fails leaves the old file and nothing else.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::{Child, Command, Output, Stdio};

use crate::harness::{
    Scratch, TD, assert_contains, failed, lines, printed, program, refused, text, train,
};
use crate::safety::{ends, pipe};

#[test]
fn output_follows_links_and_leaves_pipes_and_devices() {
    let scratch = Scratch::new("special-output");
    let target = scratch.path("target.json");
    fs::write(&target, "old").unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
    let link = scratch.path("link.json");
    symlink("target.json", &link).unwrap();
    printed(&["record", "2048", "--moves", "3", "--replay-out", &link]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_contains(&fs::read_to_string(&target).unwrap(), "afterstate replay");
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);

    let special = scratch.0.join("pipe.svg");
    pipe(&special);
    let special = special.to_str().unwrap();
    let (device, run) = (scratch.path("device.svg"), scratch.path("run"));
    symlink("/dev/full", &device).unwrap();
    train(&scratch.recipe(&lines(40, TD)), &run);
    for path in [special, &device] {
        for arguments in [
            &["record", "2048", "--moves", "3", "--replay-out", path][..],
            &["record", "2048", "--moves", "3", "--out", path],
            &["solve", "2048:2x2", "--out", path],
            &["plot", &run, "--out", path],
            &["quantize", &run, path],
        ] {
            let output = ends(program(arguments).spawn().unwrap());
            failed(&output, 1, "it is a pipe or a device, not a file");
        }
    }
    assert!(fs::metadata(special).unwrap().file_type().is_fifo());
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_leaves_nothing() {
    let scratch = Scratch::new("limited");
    let run = scratch.path("run");
    train(&scratch.recipe(&lines(40, TD)), &run);
    let limited = |arguments: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -f 1; exec \"$@\"", "sh"]).stdin(Stdio::null());
        shell.arg(program(&[]).get_program()).args(arguments).output().unwrap()
    };
    let (gif, svg) = (scratch.path("game.gif"), scratch.path("plot.svg"));
    fs::write(&svg, "old").unwrap();
    for arguments in [
        &["record", "2048", "--moves", "30", "--out", &gif][..],
        &["plot", &run, "--out", &svg],
        &["solve", "2048:2x3", "--out", &scratch.path("best.safetensors")],
        &["quantize", &run, &scratch.path("small.safetensors")],
    ] {
        let output = limited(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        assert_contains(&text(&output.stderr), "File too large");
    }
    assert_eq!(fs::read_to_string(&svg).unwrap(), "old");
    let mut names: Vec<String> = fs::read_dir(&scratch.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["plot.svg", "run", "small.toml"]);
}

/// A disk that is full, which takes root on Linux: a limit on the size of files stands for one elsewhere, in
/// the test before.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let scratch = Scratch::new("full-disk");
    let (run, disk) = (scratch.path("run"), scratch.path("disk"));
    train(&scratch.recipe(&lines(40, TD)), &run);
    fs::create_dir(&disk).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=256k", "none", &disk]).stderr(Stdio::null());
    if !mount.status().is_ok_and(|status| status.success()) {
        return;
    }
    let results = std::panic::catch_unwind(|| {
        let files = ["plot.svg", "game.gif", "best.safetensors", "small.safetensors"]
            .map(|name| format!("{disk}/{name}"));
        for file in &files {
            fs::write(file, "old").unwrap();
        }
        // All but a page, which the old files do not fill.
        let room = fs::File::create(format!("{disk}/ballast")).unwrap();
        let fill =
            |mut to: &fs::File| while std::io::Write::write_all(&mut to, &[1; 4096]).is_ok() {};
        fill(&room);
        for arguments in [
            &["plot", &run, "--out", &files[0]][..],
            &["record", "2048", "--moves", "30", "--out", &files[1]],
            &["solve", "2048:2x3", "--out", &files[2]],
            &["quantize", &run, &files[3]],
        ] {
            refused(arguments, 1, "No space left on device");
        }
        for file in &files {
            assert_eq!(fs::read_to_string(file).unwrap(), "old", "{file}");
        }
        assert_eq!(fs::read_dir(&disk).unwrap().count(), files.len() + 1);
    });
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    results.unwrap();
}

#[test]
fn of_eight_programs_that_write_one_file_one_succeeds_and_the_others_are_told() {
    let scratch = Scratch::new("one-output");
    let (run, out) = (scratch.path("run"), scratch.path("small.safetensors"));
    train(&scratch.recipe(&lines(40, TD)), &run);
    let spawn = |_| program(&["quantize", &run, &out]).spawn().unwrap();
    let children: Vec<Child> = (0..8).map(spawn).collect();
    let outputs: Vec<Output> = children.into_iter().map(ends).collect();
    let (won, told): (Vec<_>, Vec<_>) = outputs.iter().partition(|output| output.status.success());
    // More than one, if one began when another had ended.
    assert!(!won.is_empty(), "{outputs:?}");
    for output in told {
        failed(output, 1, afterstate_values::file::OTHER_WRITER);
        assert!(!text(&output.stderr).contains("agent.safetensors"), "another file is named");
    }
    printed(&["eval", &out, "--games", "2"]);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 3);
}
