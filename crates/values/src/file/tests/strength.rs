//! A strength that is measured later: written into the room of the header, or into a new file.

use super::*;
use crate::test_files::{strength, tensors};

#[test]
fn a_strength_is_written_in_place() {
    let (folder, game) = (Folder::new("strength"), Twenty48::standard());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    let info = AgentInfo { strength: None, ..full_info("2048:4x4", 1) };
    for network in both(tiny(&game)) {
        model(network).save(&path, &info).unwrap();
        let before = fs::read(&path).unwrap();
        // Another name of the same file: a file that is replaced would lose it.
        let link = folder.path("link");
        fs::hard_link(&path, &link).unwrap();
        let (_, mapped) = load_to(&path, &game, Place::Mapped).unwrap();
        let afters = random_afterstates(&game, 50, 1);
        let values: Vec<f32> = afters.iter().map(|after| value(&*mapped, &game, after)).collect();
        for games in [1, 1_000_000, 7] {
            let measured = Strength { games, ..strength() };
            save_strength(&path, measured.clone()).unwrap();
            let after = fs::read(&path).unwrap();
            assert_eq!((after.len(), &after[..8]), (before.len(), &before[..8]));
            assert_eq!(tensors(&after), tensors(&before));
            assert_eq!(fs::read(&link).unwrap(), after);
            let (found, mut loaded) = load(&path, &game).unwrap();
            assert_eq!(found.trained, info.trained);
            assert_eq!(found.strength, Some(measured));
            loaded.save(&again, &found).unwrap();
            assert_eq!(fs::read(&again).unwrap(), after, "saved again");
        }
        let found: Vec<f32> = afters.iter().map(|after| value(&*mapped, &game, after)).collect();
        assert_eq!(found, values, "mapped meanwhile");
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(folder.names(), ["again", "agent"]);
}

#[test]
fn a_strength_that_finds_no_room_gets_a_new_file() {
    let (folder, game) = (Folder::new("strength-long"), Twenty48::standard());
    let (path, again) = (folder.path("agent"), folder.path("again"));
    for network in both(tiny(&game)) {
        model(network).save(&path, &AgentInfo::new("2048:4x4", 1)).unwrap();
        let before = fs::read(&path).unwrap();
        let reach = (0..100).map(|tile| (format!("{tile}"), 1.0 / f64::from(tile + 2))).collect();
        let long = Strength { reach, ..strength() };
        save_strength(&path, long.clone()).unwrap();
        let after = fs::read(&path).unwrap();
        assert_eq!(tensors(&after), tensors(&before));
        assert_eq!((after.len() - before.len()) % 64, 0, "the weights stay aligned");
        let (found, mut loaded) = load(&path, &game).unwrap();
        assert_eq!(found.strength, Some(long));
        loaded.save(&again, &found).unwrap();
        assert_eq!(fs::read(&again).unwrap(), after);
    }
}

#[test]
fn a_strength_that_cannot_be_written_changes_nothing() {
    let (folder, game) = (Folder::new("strength-wrong"), Twenty48::standard());
    let path = folder.path("agent");
    assert!(matches!(save_strength(&path, strength()).unwrap_err().problem, Problem::Read(_)));
    tiny(&game).save(&path, &full_info("2048:4x4", 1), ValuesOf::Afterstates).unwrap();
    let before = fs::read(&path).unwrap();
    let error = save_strength(&path, Strength { mean: f64::NAN, ..strength() }).unwrap_err();
    assert!(matches!(error.problem, Problem::Unreadable(_)), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::write(&path, b"no agent").unwrap();
    assert!(save_strength(&path, strength()).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"no agent");
    assert_eq!(folder.names(), ["agent"]);
}
