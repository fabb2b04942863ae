//! Folders, descriptions and hand-made agent files for the tests of this crate.

use std::fs;
use std::path::{Path, PathBuf};

use afterstate_games::Cells;
use afterstate_games::spec::Spec;
use serde_json::{Value, json};

use crate::file::{AgentFile, AgentFileError, Place};
use crate::model::{NTupleModel, ValuesOf, load_kind};
use crate::{AgentInfo, AnyNetwork, Model, Scratch, Strength, Trained};

/// A folder for one test, removed at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("afterstate-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
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

pub(crate) fn full_info(game: &str, version: u32) -> AgentInfo {
    AgentInfo {
        trained: Some(Trained {
            recipe: "[network]\ntuples = \"4x6\"\n# \"quotes\" and ümlauts\n".to_owned(),
            seed: u64::MAX,
            episodes: 100_000,
            moves: 123_456_789,
        }),
        strength: Some(strength()),
        ..AgentInfo::new(game, version)
    }
}

pub(crate) fn strength() -> Strength {
    Strength {
        games: 1000,
        seed: 7,
        mean: 0.1 + 0.2,
        ci95: Some((-1.0 / 3.0, 1e300)),
        median: 5e-324,
        max: 2e5,
        search: "expectimax:2".to_owned(),
        reach: vec![("2048".to_owned(), 0.97), ("16384".to_owned(), 1.0 / 3.0)],
    }
}

/// A header of these tensors with the description of an agent.
pub(crate) fn header(info: &Value, tensors: &Value) -> Value {
    let mut header = tensors.clone();
    header["__metadata__"] = json!({"afterstate": info.to_string()});
    header
}

/// A file with that header and those bytes after it.
pub(crate) fn forge(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

pub(crate) fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}

/// Loads an agent with its weights in that place.
pub(crate) fn load_to<G: Spec>(
    path: &Path,
    game: &G,
    place: Place,
) -> Result<(AgentInfo, Box<dyn Model<G>>), AgentFileError> {
    let mut file = AgentFile::open(path)?;
    file.place = place;
    let model = load_kind(&mut file, game).map_err(|problem| problem.of(path))?;
    Ok((file.info, model))
}

/// A model by values of afterstates.
pub(crate) fn model<G: Cells>(network: AnyNetwork<G>) -> NTupleModel<G> {
    NTupleModel { network, values_of: ValuesOf::Afterstates }
}

/// The value of one afterstate.
pub(crate) fn value<G: Spec>(model: &dyn Model<G>, game: &G, after: &G::After) -> f32 {
    let mut value = [0.0];
    let values = model.afterstate_values().expect("a network over afterstates");
    values.evaluate(game, &[*after], &mut Scratch::default(), &mut value);
    value[0]
}
