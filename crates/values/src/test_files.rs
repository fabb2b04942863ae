//! Folders, descriptions and hand-made agent files for the tests of this crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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
        // Two tests may choose the same name, and run at the same time.
        static FOLDERS: AtomicU64 = AtomicU64::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("afterstate-{test}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
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
            gpu: Some("NVIDIA H200".to_owned()),
            quantized: vec!["--max-size 4MiB".to_owned(), String::new()],
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

/// A hand-made agent file, sound until a test changes it.
#[derive(Clone)]
pub(crate) struct Forged<G> {
    pub(crate) game: G,
    pub(crate) info: Value,
    pub(crate) tensors: Value,
    pub(crate) data: Vec<u8>,
}

impl<G: Spec + Clone> Forged<G> {
    /// The same with another value at a path of keys, such as `features/set` of the description or
    /// `tensors/weights/shape`.
    pub(crate) fn with(&self, path: &str, value: Value) -> Forged<G> {
        let mut changed = self.clone();
        let (whole, path) = match path.strip_prefix("tensors/") {
            Some(path) => (&mut changed.tensors, path),
            None => (&mut changed.info, path),
        };
        let keys = path.split('/').filter(|key| !key.is_empty());
        *keys.fold(whole, |part, key| &mut part[key]) = value;
        changed
    }

    pub(crate) fn header(&self) -> Value {
        let mut header = self.tensors.clone();
        header["__metadata__"] = json!({"afterstate": self.info.to_string()});
        header
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        forge(&self.header().to_string(), &self.data)
    }

    pub(crate) fn load(&self) -> Result<Box<dyn Model<G>>, String> {
        load_bytes(&self.bytes(), &self.game)
    }

    /// Each change of the sound agent gets its sentence.
    pub(crate) fn is_refused_with(&self, changes: &[(&str, Value, &str)]) {
        assert_eq!(self.load().err(), None);
        for (path, value, sentence) in changes {
            says(&self.with(path, value.clone()).load().err().unwrap(), sentence);
        }
    }
}

/// Compares an error with a sentence, of which `...` at its end stands for any rest.
pub(crate) fn says(found: &str, sentence: &str) {
    let same = match sentence.strip_suffix("...") {
        Some(start) => found.starts_with(start),
        None => found == sentence,
    };
    assert!(same, "{found:?} is not {sentence:?}");
    assert!(found.len() < 1500 && !found.contains(char::is_control), "{found:?}");
}

/// A file with that header and those bytes after it.
pub(crate) fn forge(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

/// The model in the bytes of a file, copied and mapped, or what is wrong with it.
pub(crate) fn load_bytes<G: Spec>(bytes: &[u8], game: &G) -> Result<Box<dyn Model<G>>, String> {
    let folder = Folder::new("forged");
    let path = folder.path("agent");
    fs::write(&path, bytes).unwrap();
    let [copied, mapped] = [Place::Copied, Place::Mapped].map(|place| {
        let loaded = load_to(&path, game, place);
        loaded.map_err(|error| error.problem.to_string()).map(|(_, model)| model)
    });
    assert_eq!(copied.as_ref().err(), mapped.as_ref().err());
    copied
}

/// The tensors of a file, all of them.
pub(crate) fn tensors(bytes: &[u8]) -> &[u8] {
    let header = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    &bytes[8 + header..]
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
