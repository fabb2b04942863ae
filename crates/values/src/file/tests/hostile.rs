//! Files that are no agents, or not for these rules: one sentence each.

use serde_json::{Value, json};

use super::*;
use crate::test_files::{Forged, forge, load_bytes, says};

fn game() -> Twenty48 {
    Twenty48::new(2, 2, 0.1).unwrap()
}

/// An agent with two tuples of one cell.
fn agent() -> Forged<Twenty48> {
    let info = json!({
        "format": 2, "program": "0.2.0", "game": "2048:2x2", "rules_version": 1, "kind": "ntuple",
        "tuples": [[3], [3]], "precision": "f32",
    });
    let tensors = json!({
        "tuple.0": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]},
        "tuple.1": {"dtype": "F32", "shape": [16], "data_offsets": [64, 128]},
    });
    Forged { game: game(), info, tensors, data: vec![0; 128] }
}

fn said(bytes: &[u8]) -> String {
    load_bytes(bytes, &game()).err().unwrap()
}

#[test]
fn no_safetensors_file() {
    let alien = "is not an agent: the file is not in the safetensors format";
    let damaged = "has a damaged safetensors header: ...";
    let whole = agent().bytes();
    let length = |found: usize, said: usize| {
        format!("is damaged: it has {found} bytes, its header says {said}")
    };
    for (bytes, sentence) in [
        (vec![], "is an empty file, not an agent"),
        (vec![1, 2, 3], alien),
        (b"#!/bin/sh\necho no agent\n".to_vec(), alien),
        (vec![0; 100], alien),
        (vec![0xff; 100], alien),
        (forge("[1,2]", &[]), alien),
        (whole[..40].to_vec(), &length(40, whole.len() - 128)),
        (whole[..whole.len() - 1].to_vec(), &length(whole.len() - 1, whole.len())),
        ([&whole[..], &[0]].concat(), &length(whole.len() + 1, whole.len())),
        ([&[9, 0, 0, 0, 0, 0, 0, 0][..], b"{\"a\": 1}}"].concat(), damaged),
        ([&[200, 0, 0, 0, 0, 0, 0, 0][..], &[b'{'; 200]].concat(), damaged),
        ([&(1u64 << 40).to_le_bytes()[..], b"{}"].concat(), alien),
        ([&(1u64 << 20).to_le_bytes()[..], b"{}"].concat(), &length(10, 1_048_584)),
    ] {
        says(&said(&bytes), sentence);
    }
}

#[test]
fn no_file() {
    let (folder, game) = (Folder::new("no-file"), Twenty48::standard());
    let said = |path: &Path| load(path, &game).err().unwrap().to_string();
    assert!(said(&folder.0).ends_with(": is a folder, not an agent file"));
    assert!(said(&folder.path("none")).contains("none: cannot be read: No such file"));
    assert!(read_info(&folder.path("none")).is_err());
    #[cfg(unix)]
    assert_eq!(said(Path::new("/dev/zero")), "/dev/zero: is a pipe or a device, not an agent file");
}

#[test]
fn no_agent_for_these_rules() {
    for metadata in [json!({"format": "pt"}), json!(null)] {
        let mut header = agent().header();
        header["__metadata__"] = metadata;
        let found = said(&forge(&header.to_string(), &[0; 128]));
        assert_eq!(found, "is a safetensors file without the key \"afterstate\", not an agent");
    }
    let escapes = "\u{1b}[31m\n".repeat(1000);
    agent().is_refused_with(&[
        ("", json!(3), "has a damaged description: the file is 3, but must be an object..."),
        ("", json!({}), "has a damaged description: format is missing..."),
        ("tuples", json!([[-1]]), "has a damaged description: tuples[0][0] is -1, but must be..."),
        (
            "precision",
            json!("f64"),
            "has a damaged description: precision is \"f64\", but must be ...",
        ),
        (
            "values_of",
            json!("boards"),
            "has a damaged description: values_of is \"boards\", but must be ...",
        ),
        ("kind", json!(3), "has a damaged description: kind is 3, but must be text in quotes..."),
        ("kind", json!("linear"), "has a damaged description: features is missing..."),
        ("kind", json!("solved"), "has a damaged description: table is missing..."),
        (
            "kind",
            json!("transformer\n"),
            "has a model of the unknown kind \"transformer\\n\"; the kinds are ntuple, linear, \
                 solved, table, neural",
        ),
        (
            "",
            json!({"format": 3, "all": "else is different"}),
            "has version 3 of the agent format, this program reads version 2; a newer program \
                 wrote it",
        ),
        (
            "format",
            json!(1),
            "has version 1 of the agent format, this program reads version 2; an older program \
                 wrote it: train it again",
        ),
        ("game", json!("tetris:10x20"), "is an agent for tetris:10x20, not for 2048:2x2"),
        ("game", json!(escapes), r"is an agent for \u{1b}[31m\n\u{1b}[31m..."),
        (
            "rules_version",
            json!(7),
            "was trained under version 7 of the rules, this program plays version 1",
        ),
    ]);
    let newer = agent().with("new_field", json!({"deep": [1, 2]}));
    assert!(newer.load().is_ok(), "fields that are not known are ignored");
}

/// The description of an unknown kind can be read, and shown without harm.
#[test]
fn unknown_kinds_have_a_description() {
    let folder = Folder::new("unknown-kind");
    let path = folder.path("agent");
    for (kind, described) in [
        ("\u{1b}[31m", r#"model of the unknown kind "\u{1b}[31m""#),
        ("solved", r#"damaged model of the kind "solved""#),
    ] {
        fs::write(&path, agent().with("kind", json!(kind)).bytes()).unwrap();
        assert_eq!(read_info(&path).unwrap().describe(), described);
    }
}

#[test]
fn no_network_of_these_tuples() {
    for wrong in [vec![], vec![vec![0], vec![4]], vec![vec![0], vec![1, 1]], vec![vec![9; 30_000]]]
    {
        let found = agent().with("tuples", json!(wrong)).load().err().unwrap();
        assert_eq!(found, shown(Tuples::new(&game(), &wrong).unwrap_err().to_string()));
    }
    let tensor = |dtype: &str, shape: Value, begin: u64| json!({"dtype": dtype, "shape": shape, "data_offsets": [begin, begin + 64]});
    let needs =
        |found: &str, needed: &str| format!("has a tensor {found}, its model needs {needed}");
    let form = |tuple| format!("has tuple {tuple}, but weights are ordered by its form [2, 3]");
    let header = "has a damaged safetensors header: ";
    let (first, second) = ("tensors/tuple.0", "tensors/tuple.1");
    agent().is_refused_with(&[
        ("tuples", json!([[3, 2], [3]]), &form("[3, 2]")),
        ("tuples", json!([[0, 1], [3]]), &form("[0, 1]")),
        ("tuples", json!([[3], [3], [3]]), "has no tensor tuple.2"),
        (
            "tuples",
            json!([[2, 3], [3]]),
            &needs("tuple.0 of F32 of shape [16]", "F32 of shape [256]"),
        ),
        (
            second,
            tensor("I32", json!([16]), 64),
            &needs("tuple.1 of I32 of shape [16]", "F32 of shape [16]"),
        ),
        (
            second,
            tensor("I16", json!([32]), 64),
            &needs("tuple.1 of I16 of shape [32]", "F32 of shape [16]"),
        ),
        (
            first,
            tensor("F32", json!([4, 4]), 0),
            &needs("tuple.0 of F32 of shape [4, 4]", "F32 of shape [16]"),
        ),
        (first, tensor("F32", json!([15]), 0), &format!("{header}...")),
        (first, tensor("F99", json!([16]), 0), &format!("{header}...")),
        (first, tensor("F32", json!([1u64 << 63, 4]), 0), &format!("{header}...")),
        (
            second,
            tensor("F32", json!([16]), 32),
            &format!("{header}invalid offset for tensor `tuple.1`..."),
        ),
        ("precision", json!("i16"), &needs("tuple.0 of F32 of shape [16]", "I16 of shape [16]")),
    ]);
}

/// Sizes whose sum is near the maximum of 64 bits, each of them valid by itself.
#[test]
fn a_header_that_claims_all_memory_gets_none() {
    let huge = 1u64 << 60;
    let mut agent = agent();
    for i in 0..15 {
        let data_offsets = json!([128 + i * huge, 128 + (i + 1) * huge]);
        agent.tensors[format!("z.{i}")] =
            json!({"dtype": "U8", "shape": [huge], "data_offsets": data_offsets});
    }
    says(&said(&agent.bytes()), "is damaged: it has ...");
}

#[test]
fn weights_that_are_not_finite() {
    let sentence = |value, at, name| {
        format!("has {value} as entry {at} of tensor {name}: weights must be finite")
    };
    for (at, value, sentence) in [
        (0, f32::NAN, sentence("NaN", 0, "tuple.0")),
        (31, -f32::NAN, sentence("NaN", 15, "tuple.1")),
        (17, f32::NEG_INFINITY, sentence("-inf", 1, "tuple.1")),
    ] {
        let mut agent = agent();
        agent.data[4 * at..4 * at + 4].copy_from_slice(&value.to_le_bytes());
        assert_eq!(said(&agent.bytes()), sentence);
    }
    let tensors = json!({
        "scale": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "tuple.0": {"dtype": "I16", "shape": [16], "data_offsets": [8, 40]},
        "tuple.1": {"dtype": "I16", "shape": [16], "data_offsets": [40, 72]},
    });
    let quantized =
        Forged { tensors, data: vec![0; 72], ..agent().with("precision", json!("i16")) };
    assert!(quantized.load().is_ok());
    let damaged = Forged { data: vec![0xff; 72], ..quantized };
    assert_eq!(said(&damaged.bytes()), sentence("NaN", 0, "scale"));
}

/// Tensors in another order or place than ours are copied, even where a map is asked for.
#[test]
fn tensors_may_lie_in_any_order() {
    let (one, two) = (1.0f32.to_le_bytes().repeat(16), 2.0f32.to_le_bytes().repeat(16));
    let data = [&[0; 3][..], &two, &one].concat();
    let strange = Forged { data, ..agent() }
        .with("tensors/a", json!({"dtype": "U8", "shape": [3], "data_offsets": [0, 3]}))
        .with("tensors/tuple.1/data_offsets", json!([3, 67]))
        .with("tensors/tuple.0/data_offsets", json!([67, 131]));
    let (game, model) = (game(), strange.load().unwrap());
    let (folder, after) = (Folder::new("order"), game.start(&mut Rng::stream(1, 0)));
    assert_eq!(value(&*model, &game, &after), 8.0 * (1.0 + 2.0));
    // Saved again, they lie in ours.
    let (path, mut model) = (folder.path("agent"), model);
    model.save(&path, &AgentInfo::new("2048:2x2", 1)).unwrap();
    assert!(fs::read(&path).unwrap().ends_with(&[one, two].concat()));
}
