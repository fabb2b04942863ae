//! Output at paths where something lies that is no ordinary file, and by several writers at once.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::super::{OTHER_WRITER, claim, open_file, read_file, replace_file};
use crate::test_files::Folder;

fn write(path: &Path, text: &str) -> io::Result<()> {
    replace_file(path, |file| file.write_all(text.as_bytes()))
}

#[test]
fn symbolic_links_stay_and_their_target_is_replaced() {
    let folder = Folder::new("links");
    fs::create_dir(folder.path("data")).unwrap();
    fs::write(folder.path("data/old"), "old").unwrap();
    // A link to a link, both relative; and one to a file that does not exist yet.
    symlink("data/old", folder.path("one")).unwrap();
    symlink("one", folder.path("two")).unwrap();
    symlink("data/new", folder.path("dangling")).unwrap();
    write(&folder.path("two"), "replaced").unwrap();
    write(&folder.path("dangling"), "created").unwrap();
    assert_eq!(fs::read_to_string(folder.path("data/old")).unwrap(), "replaced");
    assert_eq!(fs::read_to_string(folder.path("data/new")).unwrap(), "created");
    for link in ["one", "two", "dangling"] {
        assert!(fs::symlink_metadata(folder.path(link)).unwrap().is_symlink(), "{link}");
    }
    assert_eq!(folder.names(), ["dangling", "data", "one", "two"]);
    symlink("b", folder.path("a")).unwrap();
    symlink("a", folder.path("b")).unwrap();
    assert!(write(&folder.path("a"), "").is_err());
}

#[test]
fn pipes_devices_and_folders_are_refused_and_stay() {
    let folder = Folder::new("special");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("/dev/full", folder.path("device")).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    for (name, what) in [
        ("pipe", "it is a pipe or a device, not a file"),
        ("device", "it is a pipe or a device, not a file"),
        ("folder", "it is a folder, not a file"),
    ] {
        let path = folder.path(name);
        assert_eq!(write(&path, "text").unwrap_err().to_string(), what, "{name}");
        // Nor are they read: neither would end.
        assert_eq!(open_file(&path).unwrap_err().to_string(), what, "{name}");
    }
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    assert_eq!(folder.names(), ["device", "folder", "pipe"]);
}

#[test]
fn the_mode_is_kept_and_read_only_files_stay() {
    let folder = Folder::new("mode");
    let path = folder.path("secret");
    fs::write(&path, "old").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    for bits in [0o600, 0o640, 0o755] {
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(mode(&path), bits);
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = write(&path, "never").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    // A new file has the mode of every new file.
    let (made, other) = (folder.path("made"), folder.path("other"));
    write(&made, "").unwrap();
    fs::write(&other, "").unwrap();
    assert_eq!(mode(&made), mode(&other));
}

#[test]
fn another_hard_link_keeps_the_old_content() {
    let folder = Folder::new("hard");
    let (path, backup) = (folder.path("file"), folder.path("backup"));
    fs::write(&path, "old").unwrap();
    fs::hard_link(&path, &backup).unwrap();
    write(&path, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::read_to_string(&backup).unwrap(), "old");
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_other() {
    let folder = Folder::new("failed-write");
    let path = folder.path("file");
    write(&path, "old").unwrap();
    let error = replace_file(&path, |file| {
        file.write_all(&[1; 100_000])?;
        // While it is written, it has no name that a killed process could leave.
        #[cfg(target_os = "linux")]
        assert_eq!(folder.names(), ["file"]);
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(folder.names(), ["file"]);
}

/// Whether a writer was told that another one was first.
fn is_told(result: io::Result<()>) -> bool {
    match result {
        Ok(()) => false,
        Err(error) => {
            assert_eq!(error.to_string(), OTHER_WRITER);
            true
        }
    }
}

#[test]
fn of_two_writers_one_wins_and_the_other_is_told() {
    let folder = Folder::new("two-writers");
    let path = folder.path("file");
    let within = |inner: &dyn Fn() -> io::Result<()>| {
        replace_file(&path, |file| {
            inner()?;
            file.write_all(b"outer")
        })
    };
    // Who writes a new file first is who ends first.
    assert!(is_told(within(&|| write(&path, "inner"))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "inner");
    // Who replaces a file first is who begins first.
    let told = within(&|| {
        assert!(is_told(write(&path, "inner")));
        Ok(())
    });
    assert!(!is_told(told));
    assert_eq!(fs::read_to_string(&path).unwrap(), "outer");
    // Another program may take no lock, or remove the file.
    assert!(is_told(within(&|| fs::write(&path, "changed"))));
    assert_eq!(fs::read_to_string(&path).unwrap(), "changed");
    assert!(is_told(within(&|| fs::remove_file(&path))));
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn a_file_that_was_claimed_is_not_replaced_if_another_program_wrote_it() {
    let folder = Folder::new("claimed");
    for (name, old) in [("new", None), ("old", Some("old"))] {
        let path = folder.path(name);
        if let Some(old) = old {
            write(&path, old).unwrap();
        }
        claim(&path).unwrap();
        // By way of a link, the same file.
        let link = folder.path(&format!("{name}-link"));
        symlink(&path, &link).unwrap();
        write(&link, "mine").unwrap();
        write(&path, "mine again").unwrap();
        claim(&path).unwrap();
        fs::write(folder.path("other"), "other").unwrap();
        fs::rename(folder.path("other"), &path).unwrap();
        assert!(is_told(write(&path, "late")) && is_told(write(&link, "late")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "other");
        claim(&path).unwrap();
        write(&path, "claimed again").unwrap();
    }
    assert_eq!(claim(&folder.path("")).unwrap_err().to_string(), "it is a folder, not a file");
}

#[test]
fn of_many_writers_at_once_those_who_are_not_told_have_written() {
    let folder = Folder::new("at-once");
    let path = folder.path("file");
    for round in 0..40 {
        if round % 2 == 0 {
            let _ = fs::remove_file(&path);
        }
        let begin = std::sync::Barrier::new(8);
        let won = std::thread::scope(|scope| {
            let writer = |writer: u8| {
                let (path, begin) = (&path, &begin);
                scope.spawn(move || {
                    begin.wait();
                    let text = writer.to_string().repeat(70_000);
                    let written = replace_file(path, |file| {
                        text.as_bytes().chunks(10_000).try_for_each(|part| file.write_all(part))
                    });
                    (!is_told(written)).then_some(b'0' + writer)
                })
            };
            let writers: Vec<_> = (0..8).map(writer).collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect::<Vec<u8>>()
        });
        let text = fs::read(&path).unwrap();
        assert!(text.len() == 70_000 && text.iter().all(|&byte| byte == text[0]));
        // More than one, if one began when another had ended.
        assert!(won.contains(&text[0]), "{won:?} have written, not {}", text[0]);
    }
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn files_are_read_up_to_a_size() {
    let folder = Folder::new("size");
    let path = folder.path("file");
    fs::write(&path, [7; 1 << 20]).unwrap();
    assert_eq!(read_file(&path, 1 << 20).unwrap().len(), 1 << 20);
    let error = read_file(&path, (1 << 20) - 1).unwrap_err().to_string();
    assert_eq!(error, "the file is too large: at most 1.0 MiB are read");
}
