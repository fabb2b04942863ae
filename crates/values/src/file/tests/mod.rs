//! Agent files as a whole: round trips, failed saves, the bytes of the format.

mod fuzz;
mod hostile;
#[cfg(unix)]
mod replace;
mod strength;
mod version_0_1;

use std::fs;
use std::path::Path;

use afterstate_core::{Game, Rng};
use afterstate_games::spec::{GameSpec, Spec, Visitor};
use afterstate_games::twenty48::Twenty48;
use afterstate_games::{Cells, Tuples, TuplesError};

use super::*;
use crate::model::{ValuesOf, load};
use crate::test_files::{Folder, full_info, load_to, model, value};
use crate::test_networks::{both, random_afterstates, random_network};
use crate::weights::store;
use crate::{Model, Network, QuantizedNetwork, Values};

/// Whether a network has its weights in that file. Only Linux tells.
fn is_mapped(path: &Path) -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.contains(path.to_str().unwrap())
}

/// Saves and loads a random network of a game in both precisions and to both places.
struct RoundTrip<'a>(&'a Folder);

impl Visitor for RoundTrip<'_> {
    type Output = ();

    fn visit<G: Spec>(self, game: &G) {
        let full = random_network(game, &[vec![0], vec![2, 1, 5], vec![3, 4]], 1);
        let cells = serde_json::to_value(full.tuples().cells()).unwrap();
        let afters = random_afterstates(game, 200, 2);
        let info = full_info(&game.spec(), G::VERSION);
        let precisions = [("f32", ""), ("i16", ", 16-bit weights")];
        for (network, (precision, weights)) in both(full).into_iter().zip(precisions) {
            let (path, again) = (self.0.path("agent.safetensors"), self.0.path("again"));
            let mut saved = model(network);
            saved.save(&path, &info).unwrap();
            for place in [Place::Copied, Place::Mapped] {
                let (found, mut loaded) = load_to(&path, game, place).unwrap();
                assert_eq!(found, read_info(&path).unwrap());
                assert_eq!((found.kind.as_str(), &found.model["tuples"]), ("ntuple", &cells));
                assert_eq!(found.model["precision"], precision);
                assert_eq!(found.describe(), format!("network of 3 tuples{weights}"));
                assert_eq!((&found.trained, &found.strength), (&info.trained, &info.strength));
                if cfg!(target_os = "linux") {
                    assert_eq!(is_mapped(&path), place == Place::Mapped);
                }
                for after in &afters {
                    let (was, is) =
                        (saved.network.value(game, after), value(&*loaded, game, after));
                    assert_eq!(was.to_bits(), is.to_bits(), "{after:?} in {}", game.spec());
                }
                loaded.save(&again, &found).unwrap();
                assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
            }
        }
    }
}

#[test]
fn an_agent_is_loaded_as_it_was_saved() {
    let folder = Folder::new("round-trip");
    for spec in ["2048:4x4", "2048:3x2", "1010:4x4,pieces=7", "tetris:6x4"] {
        spec.parse::<GameSpec>().unwrap().with(RoundTrip(&folder));
    }
}

#[test]
fn a_large_file_is_mapped_and_may_be_replaced_meanwhile() {
    let (folder, game) = (Folder::new("large"), Twenty48::standard());
    let path = folder.path("agent.safetensors");
    let mut first = random_network(&game, &[vec![0, 1, 2, 3, 4], vec![5]], 1);
    let mut second = random_network(&game, &[vec![0, 1, 2, 3, 4], vec![5]], 2);
    let info = AgentInfo::new("2048:4x4", 1);
    first.save(&path, &info, ValuesOf::Afterstates).unwrap();
    let (_, loaded) = load(&path, &game).unwrap();
    assert!(is_mapped(&path) || !cfg!(target_os = "linux"));
    second.save(&path, &info, ValuesOf::Afterstates).unwrap();
    for after in random_afterstates(&game, 1000, 3) {
        assert_eq!(value(&*loaded, &game, &after), first.value(&game, &after));
    }
}

/// Memory that is mapped from a file can be written; the file keeps its bytes.
#[test]
fn weights_that_are_mapped_may_change() {
    let (folder, game) = (Folder::new("mapped"), Twenty48::standard());
    let path = folder.path("agent");
    let info = AgentInfo::new("2048:4x4", 1);
    tiny(&game).save(&path, &info, ValuesOf::Afterstates).unwrap();
    let before = fs::read(&path).unwrap();
    let mut file = AgentFile::open(&path).unwrap();
    file.place = Place::Mapped;
    let parts = [("tuple.0", 16), ("tuple.1", 256)]
        .map(|(name, entries)| file.tensor(name, safetensors::Dtype::F32, entries).unwrap());
    let memory = file.memory(&parts).unwrap();
    assert!(is_mapped(&path) || !cfg!(target_os = "linux"));
    let mut network = Network::from_memory(&game, tiny(&game).tuples().clone(), memory);
    network.weights().iter().for_each(|word| store(word, 1.0));
    assert_eq!(fs::read(&path).unwrap(), before);
    network.save(&path, &info, ValuesOf::Afterstates).unwrap();
    let (_, again) = load(&path, &game).unwrap();
    assert_eq!(value(&*again, &game, &game.start(&mut Rng::stream(1, 0))), 16.0);
}

#[test]
fn weights_begin_at_a_cache_line() {
    let (folder, game) = (Folder::new("aligned"), Twenty48::standard());
    let path = folder.path("agent");
    for tuples in 1..4 {
        let cells: Vec<_> = (0..tuples).map(|cell| vec![cell]).collect();
        let networks = both(random_network(&game, &cells, 1));
        for (network, bytes) in networks.into_iter().zip([64, 32]) {
            model(network).save(&path, &AgentInfo::new("2048:4x4", 1)).unwrap();
            assert_eq!((fs::metadata(&path).unwrap().len() - bytes * tuples as u64) % 64, 0);
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
    let save = |path: &Path, info: &AgentInfo| tiny(&game).save(path, info, ValuesOf::Afterstates);
    save(&path, &info).unwrap();
    let before = fs::read(&path).unwrap();

    let mut unreadable = full_info("2048:4x4", 1);
    unreadable.strength.as_mut().unwrap().mean = f64::NAN;
    let error = save(&path, &unreadable).unwrap_err();
    assert!(matches!(error.problem, Problem::Unreadable(_)), "{error}");
    let mut long = full_info("2048:4x4", 1);
    long.trained.as_mut().unwrap().recipe = "#".repeat(2 << 20);
    let error = save(&path, &long).unwrap_err();
    let sentence = "its description has 2.0 MiB, at most 1.0 MiB are allowed";
    assert!(error.to_string().ends_with(sentence), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(folder.names(), ["agent"]);

    let error = save(&folder.path("no/such/folder/agent"), &info).unwrap_err();
    assert!(
        matches!(&error.problem, Problem::Write(e) if e.kind() == std::io::ErrorKind::NotFound)
    );
    fs::create_dir(folder.path("folder")).unwrap();
    let error = save(&folder.path("folder"), &info).unwrap_err();
    assert!(matches!(error.problem, Problem::Write(_)), "{error}");
    assert_eq!(folder.names(), ["agent", "folder"]);
}

/// Agents that people keep must stay readable: the bytes of the format may never change.
#[test]
fn the_format_is_stable() {
    let folder = Folder::new("stable");
    let (game, path) = (Twenty48::standard(), folder.path("agent"));
    let network: Network<Twenty48> =
        Network::new(&game, Tuples::new(&game, &[vec![15]]).unwrap(), 2.0).unwrap();
    let (mut quantized, _) = QuantizedNetwork::from_network(&network).unwrap();
    assert_eq!(game.cell_values(), 16);
    let info = AgentInfo { program: "0.2.0".to_owned(), ..AgentInfo::new("2048:4x4", 1) };
    quantized.save(&path, &info, ValuesOf::Afterstates).unwrap();
    let bytes = fs::read(&path).unwrap();
    let header = concat!(
        r#"{"__metadata__":{"afterstate":"{\"format\":2,\"program\":\"0.2.0\","#,
        r#"\"game\":\"2048:4x4\",\"rules_version\":1,\"kind\":\"ntuple\","#,
        r#"\"precision\":\"i16\",\"tuples\":[[15]]}"},"#,
        r#""scale":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"#,
        r#""tuple.0":{"dtype":"I16","shape":[16],"data_offsets":[4,36]}}"#,
    );
    let weights = [0xff, 0x7f].repeat(16);
    // The header, 1,024 bytes for a strength, and what aligns the weights.
    let length = (8 + header.len() + 1024 + 4).next_multiple_of(64) - 8 - 4;
    assert_eq!((length, bytes.len()), (1332, 8 + 1332 + 4 + 32));
    assert_eq!(bytes[..8], (length as u64).to_le_bytes());
    let (text, spaces) = bytes[8..8 + length].split_at(header.len());
    assert_eq!(std::str::from_utf8(text).unwrap(), header);
    assert!(spaces.iter().all(|&byte| byte == b' '));
    assert_eq!(bytes[8 + length..12 + length], (0.25f32 / 32767.0).to_le_bytes());
    assert_eq!(bytes[12 + length..], weights);
    // Other programs read it too.
    let read = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    assert_eq!(read.tensor("tuple.0").unwrap().data(), weights);

    quantized.save(&path, &info, ValuesOf::States).unwrap();
    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    assert!(text.contains(r#"\"tuples\":[[15]],\"values_of\":\"states\"}"}"#), "{text}");
}

/// On small boards a cell has fewer values than sixteen; agents from before have weights for all.
#[test]
fn weights_for_sixteen_values_on_small_boards_are_read() {
    let (folder, game) = (Folder::new("values"), Twenty48::new(2, 2, 0.1).unwrap());
    let (path, mut rng) = (folder.path("agent"), Rng::stream(1, 0));
    let mut found = Vec::new();
    for values in [16, 6] {
        let tuples = Tuples::with_values(&game, &[vec![2, 3]], values).unwrap();
        let mut network: Network<Twenty48> = Network::new(&game, tuples, 0.0).unwrap();
        for (high, low) in (0..6).flat_map(|high| (0..6).map(move |low| (high, low))) {
            let index = (high * values + low) as usize;
            store(&network.weights()[index], (high * 10 + low) as f32);
        }
        network.save(&path, &AgentInfo::new("2048:2x2", 1), ValuesOf::Afterstates).unwrap();
        let (info, loaded) = load(&path, &game).unwrap();
        let written = info.model.get("values").and_then(serde_json::Value::as_u64);
        assert_eq!(written, Some(6).filter(|_| values == 6));
        let board = game.start(&mut rng).with(0, 0, 5).with(1, 0, 3);
        found.push(value(&*loaded, &game, &board.with(0, 1, 1).with(1, 1, 2)));
    }
    assert!(found[0] > 0.0 && found[0] == found[1], "{found:?}");
    let error = Tuples::with_values(&game, &[vec![0]], 7).unwrap_err();
    assert!(matches!(error, TuplesError::Values { .. }), "{error}");
}
