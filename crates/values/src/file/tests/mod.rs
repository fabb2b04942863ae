//! What is saved comes back, wherever it is loaded to; a save that fails leaves no trace.

mod entries;
mod fuzz;
mod hostile;
mod linear;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_core::{Game, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;
use afterstate_games::{Cells, Tuples};

use super::*;
use crate::test_networks::{random_afterstates, random_network};
use crate::weights::store;
use crate::{AnyNetwork, Network, QuantizedNetwork, Values};

/// A folder for one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("afterstate-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn full_info(game: &str, version: u32) -> AgentInfo {
    AgentInfo {
        trained: Some(Trained {
            recipe: "[network]\ntuples = \"4x6\"\n# \"quotes\" and ümlauts\n".to_owned(),
            seed: u64::MAX,
            episodes: 100_000,
            moves: 123_456_789,
        }),
        strength: Some(Strength {
            games: 1000,
            seed: 7,
            mean: 0.1 + 0.2,
            ci95: Some((-1.0 / 3.0, 1e300)),
            median: 5e-324,
            max: 2e5,
            search: "expectimax:2".to_owned(),
            reach: vec![("2048".to_owned(), 0.97), ("16384".to_owned(), 1.0 / 3.0)],
        }),
        ..AgentInfo::new(game, version)
    }
}

/// Whether a network has its weights in that file. Only Linux tells.
fn is_mapped(path: &Path) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.contains(path.to_str().unwrap())
}

/// Saves and loads a random network of a game in both precisions and to both places.
struct RoundTrip<'a>(&'a str, &'a Folder);

impl Visitor for RoundTrip<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let RoundTrip(spec, folder) = self;
        let full = random_network(game, &[vec![0], vec![2, 1, 5], vec![3, 4]], 1);
        let (small, _) = QuantizedNetwork::from_network(&full).unwrap();
        let cells = full.tuples().cells().to_vec();
        let afters = random_afterstates(game, 200, 2);
        let info = full_info(spec, G::VERSION);
        for mut network in [AnyNetwork::Full(full), AnyNetwork::Small(small)] {
            let (path, again) = (folder.path("agent.safetensors"), folder.path("again"));
            save(&path, &info, &mut network).unwrap();
            for place in [Place::Copied, Place::Mapped] {
                let (met, mut loaded) = load_to(&path, game, spec, G::VERSION, place).unwrap();
                assert_eq!(met, read_info(&path).unwrap());
                assert_eq!(met.tuples, cells);
                assert_eq!(met.precision, network.precision());
                assert_eq!((&met.trained, &met.strength), (&info.trained, &info.strength));
                if cfg!(target_os = "linux") {
                    assert_eq!(is_mapped(&path), place == Place::Mapped);
                }
                for after in &afters {
                    let (was, is) = (network.value(game, after), loaded.value(game, after));
                    assert_eq!(was.to_bits(), is.to_bits(), "{after:?} in {spec}");
                }
                save(&again, &met, &mut loaded).unwrap();
                assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
            }
        }
    }
}

#[test]
fn an_agent_comes_back_as_it_was() {
    let folder = Folder::new("round-trip");
    for spec in ["2048:4x4", "2048:3x2", "1010:4x4,pieces=7", "tetris:6x4"] {
        spec.parse::<GameSpec>().unwrap().with(RoundTrip(spec, &folder));
    }
}

#[test]
fn a_large_file_is_mapped_and_may_be_replaced_meanwhile() {
    let (folder, game) = (Folder::new("large"), Twenty48::standard());
    let path = folder.path("agent.safetensors");
    let mut first = random_network(&game, &[vec![0, 1, 2, 3, 4], vec![5]], 1);
    let mut second = random_network(&game, &[vec![0, 1, 2, 3, 4], vec![5]], 2);
    let info = AgentInfo::new("2048:4x4", 1);
    save(&path, &info, &mut first).unwrap();
    let (_, loaded) = load(&path, &game, "2048:4x4", 1).unwrap();
    assert!(is_mapped(&path) || !cfg!(target_os = "linux"));
    save(&path, &info, &mut second).unwrap();
    for after in random_afterstates(&game, 1000, 3) {
        assert_eq!(loaded.value(&game, &after), first.value(&game, &after));
    }
    // A mapped network can learn; the file does not notice.
    let AnyNetwork::Full(mut loaded) = load(&path, &game, "2048:4x4", 1).unwrap().1 else {
        panic!("saved with 32 bits");
    };
    let before = fs::read(&path).unwrap();
    loaded.weights().iter().for_each(|word| store(word, 1.0));
    assert_eq!(fs::read(&path).unwrap(), before);
    save(&path, &info, &mut loaded).unwrap();
    let (_, again) = load(&path, &game, "2048:4x4", 1).unwrap();
    assert_eq!(again.value(&game, &game.start(&mut Rng::stream(1, 0))), 16.0);
}

#[test]
fn weights_begin_at_a_cache_line() {
    let (folder, game) = (Folder::new("aligned"), Twenty48::standard());
    let path = folder.path("agent");
    for tuples in 1..4 {
        let cells: Vec<_> = (0..tuples).map(|cell| vec![cell]).collect();
        let full = random_network(&game, &cells, 1);
        let (small, _) = QuantizedNetwork::from_network(&full).unwrap();
        for mut network in [AnyNetwork::Full(full), AnyNetwork::Small(small)] {
            save(&path, &AgentInfo::new("2048:4x4", 1), &mut network).unwrap();
            let weights = network.memory_mut().len() as u64;
            assert_eq!((fs::metadata(&path).unwrap().len() - weights) % 64, 0);
        }
    }
}

fn tiny(game: &Twenty48) -> Network<Twenty48> {
    random_network(game, &[vec![0], vec![1, 2]], 1)
}

#[test]
fn a_failed_save_leaves_the_old_file_and_no_other() {
    let (folder, game) = (Folder::new("failed"), Twenty48::standard());
    let (path, info) = (folder.path("agent"), AgentInfo::new("2048:4x4", 1));
    save(&path, &info, &mut tiny(&game)).unwrap();
    let before = fs::read(&path).unwrap();

    #[cfg(target_os = "linux")]
    {
        // A device that is always full stands in for the new file.
        std::os::unix::fs::symlink("/dev/full", folder.path("agent.part")).unwrap();
        let error = save(&path, &info, &mut tiny(&game)).unwrap_err();
        assert!(matches!(&error.problem, Problem::Write(e) if e.raw_os_error() == Some(28)));
        assert!(error.to_string().contains("agent: cannot be written: No space"), "{error}");
    }
    let mut unreadable = full_info("2048:4x4", 1);
    unreadable.strength.as_mut().unwrap().mean = f64::NAN;
    let error = save(&path, &unreadable, &mut tiny(&game)).unwrap_err();
    assert!(matches!(error.problem, Problem::Unreadable(_)), "{error}");
    let mut long = full_info("2048:4x4", 1);
    long.trained.as_mut().unwrap().recipe = "#".repeat(2 << 20);
    let error = save(&path, &long, &mut tiny(&game)).unwrap_err();
    assert!(error.to_string().contains("2.0 MiB, expected at most 1.0 MiB"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.names(), ["agent"]);

    let nowhere = folder.path("no/such/folder/agent");
    let error = save(&nowhere, &info, &mut tiny(&game)).unwrap_err();
    assert!(
        matches!(&error.problem, Problem::Write(e) if e.kind() == std::io::ErrorKind::NotFound)
    );
    fs::create_dir(folder.path("folder")).unwrap();
    let error = save(&folder.path("folder"), &info, &mut tiny(&game)).unwrap_err();
    assert!(matches!(error.problem, Problem::Write(_)), "{error}");
    assert_eq!(folder.names(), ["agent", "folder"]);
}

#[test]
fn a_stale_part_of_a_killed_save_does_no_harm() {
    let (folder, game) = (Folder::new("stale"), Twenty48::standard());
    let path = folder.path("agent");
    fs::write(folder.path("agent.part"), vec![1; 1 << 16]).unwrap();
    save(&path, &AgentInfo::new("2048:4x4", 1), &mut tiny(&game)).unwrap();
    assert!(load(&path, &game, "2048:4x4", 1).is_ok());
    assert_eq!(folder.names(), ["agent"]);
}

/// Agents that people keep must stay readable: the bytes of the format may never change.
#[test]
fn the_format_is_stable() {
    let folder = Folder::new("stable");
    let (game, path) = (Twenty48::standard(), folder.path("agent"));
    let network: Network<Twenty48> =
        Network::new(&game, Tuples::new(&game, &[vec![15]]).unwrap(), 2.0).unwrap();
    let (mut small, _) = QuantizedNetwork::from_network(&network).unwrap();
    assert_eq!(game.cell_values(), 16);
    let info = AgentInfo { program: "0.1.0".to_owned(), ..AgentInfo::new("2048:4x4", 1) };
    save(&path, &info, &mut small).unwrap();
    let bytes = fs::read(&path).unwrap();
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.1.0\","#,
        r#"\"game\":\"2048:4x4\",\"rules_version\":1,\"tuples\":[[15]],\"precision\":\"i16\"}"},"#,
        r#""scale":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"#,
        r#""tuple.0":{"dtype":"I16","shape":[16],"data_offsets":[4,36]}}"#,
    );
    let weights = [0xff, 0x7f].repeat(16);
    assert_eq!(bytes[..8], (bytes.len() as u64 - 8 - 4 - 32).to_le_bytes());
    assert_eq!(std::str::from_utf8(&bytes[8..bytes.len() - 36]).unwrap().trim_end(), header);
    assert_eq!(bytes[bytes.len() - 36..bytes.len() - 32], (0.25f32 / 32767.0).to_le_bytes());
    assert_eq!(bytes[bytes.len() - 32..], weights);
    // Other programs read it too.
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(read.tensor("tuple.0").unwrap().data(), weights);
}

/// On small boards a cell has fewer values than sixteen; agents from before have weights for all.
#[test]
fn weights_for_sixteen_values_on_small_boards_are_read() {
    let (folder, game) = (Folder::new("values"), Twenty48::new(2, 2, 0.1).unwrap());
    let (path, mut rng) = (folder.path("agent"), Rng::stream(1, 0));
    let mut worth = Vec::new();
    for values in [16, 6] {
        let tuples = Tuples::with_values(&game, &[vec![2, 3]], values).unwrap();
        let mut network: Network<Twenty48> = Network::new(&game, tuples, 0.0).unwrap();
        for (high, low) in (0..6).flat_map(|high| (0..6).map(move |low| (high, low))) {
            let place = (high * values + low) as usize;
            store(&network.weights()[place], (high * 10 + low) as f32);
        }
        save(&path, &AgentInfo::new("2048:2x2", 1), &mut network).unwrap();
        let (info, loaded) = load(&path, &game, "2048:2x2", 1).unwrap();
        assert_eq!(info.values, Some(6).filter(|_| values == 6));
        let board = game.start(&mut rng).with(0, 0, 5).with(1, 0, 3);
        worth.push(loaded.value(&game, &board.with(0, 1, 1).with(1, 1, 2)));
    }
    assert!(worth[0] > 0.0 && worth[0] == worth[1], "{worth:?}");
    let error = Tuples::with_values(&game, &[vec![0]], 7).unwrap_err().to_string();
    assert_eq!(error, "met weights for 7 values a cell, expected 6 or 16");
}
