//! Experiments on a cluster: what is shared out has the figures of one machine.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::{fs, io};

use afterstate_core::Device;
use afterstate_core::cluster::{InProcess, connect, connected};
use afterstate_reproduce::on_cluster::prepare;
use afterstate_reproduce::{Report, Scale, TableCache, TrainingCache, find};
use afterstate_train::run::{Observer, Status};

struct Silent;

impl Observer for Silent {
    fn round(&mut self, _: &Status) -> io::Result<()> {
        Ok(())
    }
}

fn run(device: Device, name: &str, work: &Path) -> Report {
    let mut cache = TrainingCache {
        scale: Scale::Tiny,
        folder: work.to_owned(),
        seed: 3,
        threads: 1,
        device,
        stop: &AtomicBool::new(false),
        observer: &mut Silent,
        tables: &mut TableCache::default(),
    };
    find(name).unwrap().run(&mut cache).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("afterstate-shared-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// The files of tables and of their games, by name.
fn tables(work: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let Ok(files) = fs::read_dir(work.join("tiny/carr")) else { return BTreeMap::new() };
    let file = |path: PathBuf| (path.file_name().unwrap().into(), fs::read(path).unwrap());
    files.map(|entry| file(entry.unwrap().path())).collect()
}

#[test]
fn games_and_trainings_are_shared_out() {
    connect(Arc::new(InProcess::new(3, prepare)));
    // Games, games of an agent of the program, games of a learner, whole trainings, and tables of moves
    // and of afterstates with their games in the same well and in a wider one.
    for name in [
        "tetris-dellacherie-10x10",
        "2048-agent",
        "tetris-lambda-pi",
        "chen-figure10",
        "carr-figure5-1",
        "carr-figure6-2",
    ] {
        let work = [folder(&format!("{name}-alone")), folder(name)];
        let alone = run(Device::Cpu, name, &work[0]);
        let before = connected().unwrap().status().tasks;
        let shared = run(Device::Cluster, name, &work[1]);
        assert_eq!(shared.rows, alone.rows, "{name}");
        assert!(connected().unwrap().status().tasks > before, "{name}: nothing was shared out");
        // Tables tell no costs.
        for training in &shared.trainings {
            assert!(training.machine.contains("cluster; driver: "), "{name}: {}", training.machine);
        }
        assert_eq!(shared.trainings.is_empty(), name.starts_with("carr-"), "{name}");
        assert_eq!(tables(&work[0]), tables(&work[1]), "{name}");
        work.iter().for_each(|work| fs::remove_dir_all(work).unwrap_or_default());
    }
    // Games that are missing among those played.
    let work = folder("resumed");
    let name = "tetris-dellacherie-10x10";
    let alone = run(Device::Cpu, name, &work);
    let mut files = fs::read_dir(work.join("tiny")).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let mut played: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let games = played["games"].as_object_mut().unwrap();
    let count = games.len();
    games.retain(|number, _| number.parse::<u64>().unwrap() % 3 == 1);
    assert!(!games.is_empty() && games.len() < count / 2);
    fs::write(&file, played.to_string()).unwrap();
    assert_eq!(run(Device::Cluster, name, &work).rows, alone.rows);
    fs::remove_dir_all(work).unwrap();
}
