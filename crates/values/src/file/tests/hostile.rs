//! Files that are no agents, or not the one asked for: one sentence each.

use serde_json::{Value, json};

use super::*;

/// A file with that header and that much after it.
pub(super) fn forge(header: &Value, data: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn info() -> Value {
    json!({
        "format": 2, "program": "0.1.0", "game": "2048:2x2", "rules_version": 1,
        "tuples": [[3], [3]], "precision": "f32",
    })
}

/// An agent with two tuples of one cell, changed.
fn agent(change: impl FnOnce(&mut Value, &mut Value)) -> Value {
    let mut info = info();
    let mut header = json!({
        "tuple.0": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]},
        "tuple.1": {"dtype": "F32", "shape": [16], "data_offsets": [64, 128]},
    });
    change(&mut info, &mut header);
    header["__metadata__"] = json!({"afterstate": info.to_string()});
    header
}

fn outcome(bytes: &[u8]) -> Result<AnyNetwork<Twenty48>, String> {
    static FILES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = FILES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = Folder::new(&format!("hostile-{number}"));
    let (path, game) = (folder.path("x"), Twenty48::new(2, 2, 0.1).unwrap());
    fs::write(&path, bytes).unwrap();
    let met = [Place::Copied, Place::Mapped].map(|place| {
        let loaded = load_to(&path, &game, "2048:2x2", 1, place);
        loaded.map_err(|error| error.problem.to_string()).map(|(_, network)| network)
    });
    let [copied, mapped] = met;
    assert_eq!(copied.as_ref().err(), mapped.as_ref().err());
    copied
}

fn said(bytes: &[u8]) -> String {
    outcome(bytes).err().unwrap()
}

#[test]
fn what_is_no_safetensors_file() {
    let alien = "met a file that is not in the safetensors format, expected an agent";
    let whole = forge(&agent(|_, _| ()), &[0; 128]);
    assert!(outcome(&whole).is_ok());
    for (bytes, sentence) in [
        (vec![], "met an empty file, expected an agent"),
        (vec![1, 2, 3], alien),
        (b"#!/bin/sh\necho no agent\n".to_vec(), alien),
        (vec![0; 100], alien),
        (vec![0xff; 100], alien),
        (forge(&json!([1, 2]), &[]), alien),
        (whole[..40].to_vec(), &format!("met 40 bytes, expected {}", whole.len() - 128)),
        (whole[..whole.len() - 1].to_vec(), &format!("met {} bytes", whole.len() - 1)),
        ([&whole[..], &[0]].concat(), &format!("expected {}: the file is not whole", whole.len())),
        (
            [&[9, 0, 0, 0, 0, 0, 0, 0][..], b"{\"a\": 1}}"].concat(),
            "met a damaged safetensors header",
        ),
        ([&[200, 0, 0, 0, 0, 0, 0, 0][..], &[b'{'; 200]].concat(), "met a damaged safetensors"),
        ([&(1u64 << 40).to_le_bytes()[..], b"{}"].concat(), alien),
        ([&(1u64 << 20).to_le_bytes()[..], b"{}"].concat(), "met 10 bytes, expected 1048584"),
    ] {
        let met = said(&bytes);
        assert!(met.contains(sentence), "met {met:?}, expected {sentence:?}");
    }
}

#[test]
fn what_is_no_file() {
    let (folder, game) = (Folder::new("no-file"), Twenty48::standard());
    let said = |path: &Path| load(path, &game, "2048:4x4", 1).err().unwrap().to_string();
    assert!(said(&folder.0).ends_with(": met a folder, expected a file"));
    assert!(said(&folder.path("none")).contains("none: cannot be read: No such file"));
    assert!(read_info(&folder.path("none")).is_err());
    #[cfg(unix)]
    assert_eq!(said(Path::new("/dev/zero")), "/dev/zero: met a pipe or a device, expected a file");
}

#[test]
fn what_is_no_agent_for_these_rules() {
    let mut foreign = agent(|_, _| ());
    foreign["__metadata__"] = json!({"format": "pt"});
    let mut bare = agent(|_, _| ());
    bare.as_object_mut().unwrap().remove("__metadata__");
    let no_key = "met a safetensors file without the key \"afterstate\", expected an agent";
    let damaged = "met a damaged description of the agent: ";
    for (header, sentence) in [
        (foreign, no_key.to_owned()),
        (bare, no_key.to_owned()),
        (agent(|info, _| *info = json!(3)), format!("{damaged}invalid type: integer `3`")),
        (agent(|info, _| *info = json!({})), format!("{damaged}missing field `format`")),
        (agent(|info, _| info["tuples"] = json!([[-1]])), format!("{damaged}invalid value")),
        (agent(|info, _| info["precision"] = json!("f64")), format!("{damaged}unknown variant")),
        (
            agent(|info, _| *info = json!({"format": 3, "all": "else is different"})),
            "met version 3 of the agent format, expected 2; a newer program wrote it".to_owned(),
        ),
        (
            agent(|info, _| info["format"] = json!(1)),
            "met version 1 of the agent format, expected 2; an older program wrote it: train it \
             again"
                .to_owned(),
        ),
        (
            agent(|info, _| info["game"] = json!("tetris:10x20")),
            "the agent plays tetris:10x20, expected one for 2048:2x2".to_owned(),
        ),
        (
            agent(|info, _| info["game"] = json!("\u{1b}[31m\n".repeat(1000))),
            r"the agent plays \u{1b}[31m\n\u{1b}[31m".to_owned(),
        ),
        (
            agent(|info, _| info["rules_version"] = json!(7)),
            "the agent was trained under version 7 of the rules, expected version 1".to_owned(),
        ),
    ] {
        let met = said(&forge(&header, &[0; 128]));
        assert!(met.starts_with(&sentence), "met {met:?}, expected {sentence:?}");
        assert!(met.len() < 1500 && !met.contains(char::is_control), "{met:?}");
    }
    let newer = agent(|info, _| info["new_field"] = json!({"deep": [1, 2]}));
    assert!(outcome(&forge(&newer, &[0; 128])).is_ok(), "fields that are not known are ignored");
}

#[test]
fn what_is_not_the_network_that_the_tuples_ask_for() {
    let tuples = |tuples: Value| agent(|info, _| info["tuples"] = tuples);
    let tensor = |name: &str, dtype: &str, shape: Value| {
        agent(|_, header| {
            header[name]["dtype"] = json!(dtype);
            header[name]["shape"] = shape;
        })
    };
    for (header, sentence) in [
        (tuples(json!([])), "met no tuple, expected at least one"),
        (tuples(json!([[0], [4]])), "tuple [4]: met cell 4, expected cells from 0 to 3, each once"),
        (tuples(json!([[0], [1, 1]])), "tuple [1, 1]: met cell 1"),
        (tuples(json!([[3, 2], [3]])), "met tuple [3, 2], expected it in the form [2, 3]"),
        (tuples(json!([[0, 1], [3]])), "met tuple [0, 1], expected it in the form [2, 3]"),
        (tuples(json!([vec![9; 30_000]])), "tuple [9, 9, 9"),
        (tuples(json!([[3], [3], [3]])), "met no tensor tuple.2, expected one"),
        (
            tuples(json!([[2, 3], [3]])),
            "tensor tuple.0: met F32 of shape [16], expected F32 of shape [256]",
        ),
        (
            tensor("tuple.1", "I32", json!([16])),
            "tensor tuple.1: met I32 of shape [16], expected F32 of shape [16]",
        ),
        (tensor("tuple.1", "I16", json!([32])), "tensor tuple.1: met I16 of shape [32]"),
        (tensor("tuple.0", "F32", json!([4, 4])), "tensor tuple.0: met F32 of shape [4, 4]"),
        (tensor("tuple.0", "F32", json!([15])), "met a damaged safetensors header: "),
        (tensor("tuple.0", "F99", json!([16])), "met a damaged safetensors header: "),
        (tensor("tuple.0", "F32", json!([1u64 << 63, 4])), "met a damaged safetensors header: "),
        (
            agent(|_, header| header["tuple.1"]["data_offsets"] = json!([32, 96])),
            "met a damaged safetensors header: invalid offset for tensor `tuple.1`",
        ),
        (
            agent(|info, _| info["precision"] = json!("i16")),
            "tensor tuple.0: met F32 of shape [16], expected I16 of shape [16]",
        ),
    ] {
        let met = said(&forge(&header, &[0; 128]));
        assert!(met.starts_with(sentence), "met {met:?}, expected {sentence:?}");
        assert!(met.len() < 300, "{met}");
    }
}

/// Sizes near the end of all numbers, each of them right by itself.
#[test]
fn a_header_that_claims_all_memory_gets_none() {
    let huge = 1u64 << 60;
    let mut header = agent(|_, _| ());
    for i in 0..15 {
        let data_offsets = json!([128 + i * huge, 128 + (i + 1) * huge]);
        header[format!("z.{i}")] =
            json!({"dtype": "U8", "shape": [huge], "data_offsets": data_offsets});
    }
    let met = said(&forge(&header, &[0; 128]));
    assert!(met.contains("the file is not whole"), "{met}");
}

#[test]
fn weights_that_are_no_numbers() {
    for (at, value, sentence) in [
        (0, f32::NAN, "tensor tuple.0: met NaN as number 0, expected finite numbers"),
        (31, -f32::NAN, "tensor tuple.1: met NaN as number 15, expected finite numbers"),
        (17, f32::NEG_INFINITY, "tensor tuple.1: met -inf as number 1, expected finite numbers"),
    ] {
        let mut data = [0; 128];
        data[4 * at..4 * at + 4].copy_from_slice(&value.to_le_bytes());
        assert_eq!(said(&forge(&agent(|_, _| ()), &data)), sentence);
    }
    let small = agent(|info, header| {
        info["precision"] = json!("i16");
        *header = json!({
            "scale": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "tuple.0": {"dtype": "I16", "shape": [16], "data_offsets": [8, 40]},
            "tuple.1": {"dtype": "I16", "shape": [16], "data_offsets": [40, 72]},
        });
    });
    assert!(outcome(&forge(&small, &[0; 72])).is_ok());
    assert_eq!(
        said(&forge(&small, &[0xff; 72])),
        "tensor scale: met NaN as number 0, expected finite numbers"
    );
}

/// Tensors in another order or place than ours are copied, even where a map is asked for.
#[test]
fn tensors_may_lie_in_any_order() {
    let strange = agent(|_, header| {
        header["a"] = json!({"dtype": "U8", "shape": [3], "data_offsets": [0, 3]});
        header["tuple.1"]["data_offsets"] = json!([3, 67]);
        header["tuple.0"]["data_offsets"] = json!([67, 131]);
    });
    let (one, two) = (1.0f32.to_le_bytes().repeat(16), 2.0f32.to_le_bytes().repeat(16));
    let network = outcome(&forge(&strange, &[&[0; 3][..], &two, &one].concat())).unwrap();
    let AnyNetwork::Full(network) = network else { panic!("written with 32 bits") };
    let weights: Vec<f32> = network.weights().iter().map(crate::weights::load).collect();
    assert_eq!(weights, [[1.0; 16], [2.0; 16]].concat());
}
