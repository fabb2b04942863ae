//! Runs that go through pieces, and pieces that are missing, damaged or hostile.

use super::*;
use crate::recipe::Recipe;
use crate::recipes;

/// A folder that is deleted at the end of a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("afterstate-pieces-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Scratch(path)
    }

    /// A run with a checkpoint of some megabytes: noise, zeros, noise.
    fn run(&self) -> Folder {
        let recipe = Recipe::parse(recipes::BUILT_IN[0].1, &[]).unwrap();
        let folder = Folder::create(&self.0.join("run"), recipe).unwrap();
        let mut state = 1u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        let mut bytes: Vec<u8> = (0..3_500_000).map(|_| noise()).collect();
        bytes.resize(20_000_000, 0);
        bytes.extend((0..2_000_001).map(|_| noise()));
        fs::write(folder.agent(), bytes).unwrap();
        folder
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_run_goes_through_small_pieces() {
    let scratch = Scratch::new("whole");
    let (run, pieces) = (scratch.run(), scratch.0.join("pieces"));
    let paths = run.pack(&pieces, MIN_PIECE).unwrap();
    assert!(paths.len() >= 3, "{paths:?}");
    for path in &paths {
        assert!(fs::metadata(path).unwrap().len() <= MIN_PIECE);
    }
    let copy = Folder::unpack(&pieces, &scratch.0.join("copy")).unwrap();
    assert_eq!(copy.recipe(), run.recipe());
    assert!(fs::read(copy.agent()).unwrap() == fs::read(run.agent()).unwrap());
    assert!(!copy.checkpoint().exists());
    let taken = Folder::unpack(&pieces, copy.path()).unwrap_err();
    assert!(taken.to_string().contains("already has a run"), "{taken}");
    let again = run.pack(&pieces, MIN_PIECE).unwrap_err();
    assert!(again.to_string().contains("has pieces of a run"), "{again}");
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let scratch = Scratch::new("wrong");
    let (run, pieces) = (scratch.run(), scratch.0.join("pieces"));
    let paths = run.pack(&pieces, MIN_PIECE).unwrap();
    let first = fs::read(&paths[0]).unwrap();
    let refused = |sentence: &str| {
        let error = Folder::unpack(&pieces, &scratch.0.join("copy")).unwrap_err().to_string();
        assert!(error.contains(sentence), "{error}");
        assert!(Folder::open(&scratch.0.join("copy")).is_err(), "{sentence}");
    };
    let second = fs::read(&paths[1]).unwrap();
    fs::remove_file(&paths[1]).unwrap();
    refused("piece-0001: ");
    fs::write(&paths[1], &first).unwrap();
    refused("piece-0001: it is piece 0");
    let mut damaged = second.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 4;
    fs::write(&paths[1], damaged).unwrap();
    refused("agent.safetensors");
    let text = String::from_utf8_lossy(&second).replacen("\"moves\":0", "\"moves\":1", 1);
    let line = text.lines().next().unwrap();
    let body = &second[line.len()..];
    fs::write(&paths[1], [line.as_bytes(), body].concat()).unwrap();
    refused("piece 1 is of another run");
    fs::write(&paths[0], "hello").unwrap();
    refused("piece-0000: the file is not a piece of a run");
}

#[test]
fn hostile_lists_are_refused() {
    let list = |files: &[(&str, u64)]| {
        let packed = |&(name, bytes): &(&str, u64)| Packed { name: name.to_owned(), bytes };
        let list: Vec<Packed> = files.iter().map(packed).collect();
        check_list(&list, 1_000).map_err(|error| error.to_string())
    };
    assert_eq!(list(&[("agent.safetensors", 9), (RECIPE, 1)]), Ok(()));
    for (files, sentence) in [
        (&[("../recipe.toml", 1), (RECIPE, 1)][..], "\"../recipe.toml\", which is no file"),
        (&[(RECIPE, 1), (RECIPE, 1)], "which is no file of a run"),
        (&[("agent.safetensors", 9)], "they have no recipe"),
        (&[], "they have no recipe"),
        (&[("agent.safetensors", u64::MAX), (RECIPE, 9)], "more bytes than they can hold"),
    ] {
        assert!(list(files).is_err_and(|error| error.contains(sentence)), "{files:?}");
    }
}
