//! Tables: what is saved comes back, and what is wrong gets its sentence.

use afterstate_games::twenty48::Twenty48;

use super::*;
use crate::Table;
use crate::weights::store;

fn about() -> EntriesInfo {
    EntriesInfo {
        moves: false,
        sees: vec!["heights".to_owned()],
        combine: CombineInfo::Average,
        pay: [("point".to_owned(), 1.5)].into(),
        discount: 0.8,
    }
}

fn table() -> Table {
    let table = Table::new(175, 5.0).unwrap();
    table.entries().iter().enumerate().for_each(|(i, entry)| store(entry, i as f32 / 3.0));
    table
}

fn loaded(path: &Path, size: Result<u64, String>) -> Result<(AgentInfo, Table), String> {
    load_entries(path, "tetris", 1, |_| size).map_err(|error| error.problem.to_string())
}

#[test]
fn entries_come_back_as_they_were() {
    let folder = Folder::new("entries");
    let (path, again) = (folder.path("agent"), folder.path("again"));
    save_entries(&path, &full_info("tetris:4x20", 1), &about(), &mut table()).unwrap();
    let (info, mut met) = loaded(&path, Ok(175)).unwrap();
    assert_eq!(info.entries, Some(about()));
    assert_eq!((met.entries().len(), met.get(100)), (175, 100.0 / 3.0));
    save_entries(&again, &info, &about(), &mut met).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&again).unwrap());
}

#[test]
fn what_is_no_table_of_these_rules_is_refused() {
    let folder = Folder::new("entries-wrong");
    let path = folder.path("agent");
    let mut broken = table();
    save_entries(&path, &full_info("tetris:4x20", 1), &about(), &mut broken).unwrap();
    let said = |size| loaded(&path, size).err().unwrap();
    assert!(said(Ok(343)).contains("expected F32 of shape [343]"));
    assert_eq!(said(Err("no such view".to_owned())), "no such view");
    let error = load(&path, &Twenty48::standard(), "tetris:4x20", 1).err().unwrap();
    assert!(error.to_string().ends_with("met a table, expected a network"), "{error}");
    store(&broken.entries()[3], f32::NAN);
    save_entries(&path, &full_info("tetris:4x20", 1), &about(), &mut broken).unwrap();
    assert!(loaded(&path, Ok(175)).is_err(), "not a number");
    save(&path, &full_info("2048:4x4", 1), &mut tiny(&Twenty48::standard())).unwrap();
    assert_eq!(loaded(&path, Ok(175)).err().unwrap(), "met another agent, expected a table");
}
