//! Files that are no agents, or not for these rules: one sentence each.

use serde_json::{Value, json};

use super::*;
use crate::test_files;

fn forge(header: &Value, data: &[u8]) -> Vec<u8> {
    test_files::forge(&header.to_string(), data)
}

/// An agent with two tuples of one cell, changed.
fn agent(change: impl FnOnce(&mut Value, &mut Value)) -> Value {
    let mut info = json!({
        "format": 2, "program": "0.2.0", "game": "2048:2x2", "rules_version": 1, "kind": "ntuple",
        "tuples": [[3], [3]], "precision": "f32",
    });
    let mut tensors = json!({
        "tuple.0": {"dtype": "F32", "shape": [16], "data_offsets": [0, 64]},
        "tuple.1": {"dtype": "F32", "shape": [16], "data_offsets": [64, 128]},
    });
    change(&mut info, &mut tensors);
    test_files::header(&info, &tensors)
}

fn outcome(bytes: &[u8]) -> Result<Box<dyn Model<Twenty48>>, String> {
    static FILES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let number = FILES.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = Folder::new(&format!("hostile-{number}"));
    let (path, game) = (folder.path("x"), Twenty48::new(2, 2, 0.1).unwrap());
    fs::write(&path, bytes).unwrap();
    let [copied, mapped] = [Place::Copied, Place::Mapped].map(|place| {
        let loaded = load_to(&path, &game, place);
        loaded.map_err(|error| error.problem.to_string()).map(|(_, model)| model)
    });
    assert_eq!(copied.as_ref().err(), mapped.as_ref().err());
    copied
}

fn said(bytes: &[u8]) -> String {
    outcome(bytes).err().unwrap()
}

#[test]
fn no_safetensors_file() {
    let alien = "is not an agent: the file is not in the safetensors format";
    let damaged = "has a damaged safetensors header: ";
    let whole = forge(&agent(|_, _| ()), &[0; 128]);
    assert!(outcome(&whole).is_ok());
    let length = |found: usize, said: usize| {
        format!("is damaged: it has {found} bytes, its header says {said}")
    };
    for (bytes, sentence) in [
        (vec![], "is an empty file, not an agent"),
        (vec![1, 2, 3], alien),
        (b"#!/bin/sh\necho no agent\n".to_vec(), alien),
        (vec![0; 100], alien),
        (vec![0xff; 100], alien),
        (forge(&json!([1, 2]), &[]), alien),
        (whole[..40].to_vec(), &length(40, whole.len() - 128)),
        (whole[..whole.len() - 1].to_vec(), &length(whole.len() - 1, whole.len())),
        ([&whole[..], &[0]].concat(), &length(whole.len() + 1, whole.len())),
        ([&[9, 0, 0, 0, 0, 0, 0, 0][..], b"{\"a\": 1}}"].concat(), damaged),
        ([&[200, 0, 0, 0, 0, 0, 0, 0][..], &[b'{'; 200]].concat(), damaged),
        ([&(1u64 << 40).to_le_bytes()[..], b"{}"].concat(), alien),
        ([&(1u64 << 20).to_le_bytes()[..], b"{}"].concat(), &length(10, 1_048_584)),
    ] {
        let found = said(&bytes);
        assert!(found.starts_with(sentence), "{found:?} is not {sentence:?}");
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
    let mut foreign = agent(|_, _| ());
    foreign["__metadata__"] = json!({"format": "pt"});
    let mut bare = agent(|_, _| ());
    bare.as_object_mut().unwrap().remove("__metadata__");
    let no_key = "is a safetensors file without the key \"afterstate\", not an agent";
    let damaged = "has a damaged description: ";
    for (header, sentence) in [
        (foreign, no_key.to_owned()),
        (bare, no_key.to_owned()),
        (agent(|info, _| *info = json!(3)), format!("{damaged}invalid type: integer `3`")),
        (agent(|info, _| *info = json!({})), format!("{damaged}missing field `format`")),
        (agent(|info, _| info["tuples"] = json!([[-1]])), format!("{damaged}invalid value")),
        (agent(|info, _| info["precision"] = json!("f64")), format!("{damaged}unknown variant")),
        (agent(|info, _| info["values_of"] = json!("boards")), format!("{damaged}unknown variant")),
        (agent(|info, _| info["kind"] = json!(3)), format!("{damaged}invalid type: integer `3`")),
        (agent(|info, _| info["kind"] = json!("linear")), format!("{damaged}missing field `feat")),
        (agent(|info, _| info["kind"] = json!("solved")), format!("{damaged}missing field `table")),
        (
            agent(|info, _| info["kind"] = json!("transformer\n")),
            "has a model of the unknown kind \"transformer\\n\"; the kinds are ntuple, linear, \
             solved, table"
                .to_owned(),
        ),
        (
            agent(|info, _| *info = json!({"format": 3, "all": "else is different"})),
            "has version 3 of the agent format, this program reads version 2; a newer program \
             wrote it"
                .to_owned(),
        ),
        (
            agent(|info, _| info["format"] = json!(1)),
            "has version 1 of the agent format, this program reads version 2; an older program \
             wrote it: train it again"
                .to_owned(),
        ),
        (
            agent(|info, _| info["game"] = json!("tetris:10x20")),
            "is an agent for tetris:10x20, not for 2048:2x2".to_owned(),
        ),
        (
            agent(|info, _| info["game"] = json!("\u{1b}[31m\n".repeat(1000))),
            r"is an agent for \u{1b}[31m\n\u{1b}[31m".to_owned(),
        ),
        (
            agent(|info, _| info["rules_version"] = json!(7)),
            "was trained under version 7 of the rules, this program plays version 1".to_owned(),
        ),
    ] {
        let found = said(&forge(&header, &[0; 128]));
        assert!(found.starts_with(&sentence), "{found:?} is not {sentence:?}");
        assert!(found.len() < 1500 && !found.contains(char::is_control), "{found:?}");
    }
    let newer = agent(|info, _| info["new_field"] = json!({"deep": [1, 2]}));
    assert!(outcome(&forge(&newer, &[0; 128])).is_ok(), "fields that are not known are ignored");
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
        let header = agent(|info, _| info["kind"] = json!(kind));
        fs::write(&path, forge(&header, &[0; 128])).unwrap();
        assert_eq!(read_info(&path).unwrap().describe(), described);
    }
}

#[test]
fn no_network_of_these_tuples() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let tuples = |tuples: Value| agent(|info, _| info["tuples"] = tuples);
    let tensor = |name: &str, dtype: &str, shape: Value| {
        agent(|_, tensors| {
            tensors[name]["dtype"] = json!(dtype);
            tensors[name]["shape"] = shape;
        })
    };
    for wrong in [vec![], vec![vec![0], vec![4]], vec![vec![0], vec![1, 1]], vec![vec![9; 30_000]]]
    {
        let found = said(&forge(&tuples(json!(wrong)), &[0; 128]));
        let sentence = Tuples::new(&game, &wrong).unwrap_err().to_string();
        assert_eq!(found, shown(sentence));
    }
    let form = |tuple| format!("has tuple {tuple}, but weights are ordered by its form [2, 3]");
    let header = "has a damaged safetensors header: ";
    for (header, sentence) in [
        (tuples(json!([[3, 2], [3]])), form("[3, 2]")),
        (tuples(json!([[0, 1], [3]])), form("[0, 1]")),
        (tuples(json!([[3], [3], [3]])), "has no tensor tuple.2".to_owned()),
        (
            tuples(json!([[2, 3], [3]])),
            "has a tensor tuple.0 of F32 of shape [16], its model needs F32 of shape [256]"
                .to_owned(),
        ),
        (
            tensor("tuple.1", "I32", json!([16])),
            "has a tensor tuple.1 of I32 of shape [16], its model needs F32 of shape [16]"
                .to_owned(),
        ),
        (
            tensor("tuple.1", "I16", json!([32])),
            "has a tensor tuple.1 of I16 of shape [32], its model needs ".to_owned(),
        ),
        (
            tensor("tuple.0", "F32", json!([4, 4])),
            "has a tensor tuple.0 of F32 of shape [4, 4], its model needs ".to_owned(),
        ),
        (tensor("tuple.0", "F32", json!([15])), header.to_owned()),
        (tensor("tuple.0", "F99", json!([16])), header.to_owned()),
        (tensor("tuple.0", "F32", json!([1u64 << 63, 4])), header.to_owned()),
        (
            agent(|_, tensors| tensors["tuple.1"]["data_offsets"] = json!([32, 96])),
            format!("{header}invalid offset for tensor `tuple.1`"),
        ),
        (
            agent(|info, _| info["precision"] = json!("i16")),
            "has a tensor tuple.0 of F32 of shape [16], its model needs I16 of shape [16]"
                .to_owned(),
        ),
    ] {
        let found = said(&forge(&header, &[0; 128]));
        assert!(found.starts_with(&sentence), "{found:?} is not {sentence:?}");
        assert!(found.len() < 300, "{found}");
    }
}

/// Sizes whose sum is near the maximum of 64 bits, each of them valid by itself.
#[test]
fn a_header_that_claims_all_memory_gets_none() {
    let huge = 1u64 << 60;
    let mut header = agent(|_, _| ());
    for i in 0..15 {
        let data_offsets = json!([128 + i * huge, 128 + (i + 1) * huge]);
        header[format!("z.{i}")] =
            json!({"dtype": "U8", "shape": [huge], "data_offsets": data_offsets});
    }
    let found = said(&forge(&header, &[0; 128]));
    assert!(found.starts_with("is damaged: it has "), "{found}");
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
        let mut data = [0; 128];
        data[4 * at..4 * at + 4].copy_from_slice(&value.to_le_bytes());
        assert_eq!(said(&forge(&agent(|_, _| ()), &data)), sentence);
    }
    let quantized = agent(|info, tensors| {
        info["precision"] = json!("i16");
        *tensors = json!({
            "scale": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
            "tuple.0": {"dtype": "I16", "shape": [16], "data_offsets": [8, 40]},
            "tuple.1": {"dtype": "I16", "shape": [16], "data_offsets": [40, 72]},
        });
    });
    assert!(outcome(&forge(&quantized, &[0; 72])).is_ok());
    assert_eq!(said(&forge(&quantized, &[0xff; 72])), sentence("NaN", 0, "scale"));
}

/// Tensors in another order or place than ours are copied, even where a map is asked for.
#[test]
fn tensors_may_lie_in_any_order() {
    let game = Twenty48::new(2, 2, 0.1).unwrap();
    let strange = agent(|_, tensors| {
        tensors["a"] = json!({"dtype": "U8", "shape": [3], "data_offsets": [0, 3]});
        tensors["tuple.1"]["data_offsets"] = json!([3, 67]);
        tensors["tuple.0"]["data_offsets"] = json!([67, 131]);
    });
    let (one, two) = (1.0f32.to_le_bytes().repeat(16), 2.0f32.to_le_bytes().repeat(16));
    let model = outcome(&forge(&strange, &[&[0; 3][..], &two, &one].concat())).unwrap();
    let (folder, after) = (Folder::new("order"), game.start(&mut Rng::stream(1, 0)));
    assert_eq!(value(&*model, &game, &after), 8.0 * (1.0 + 2.0));
    // Saved again, they lie in ours.
    let (path, mut model) = (folder.path("agent"), model);
    model.save(&path, &AgentInfo::new("2048:2x2", 1)).unwrap();
    assert!(fs::read(&path).unwrap().ends_with(&[one, two].concat()));
}
