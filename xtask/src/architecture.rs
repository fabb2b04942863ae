//! ARCHITECTURE.md says which crate knows which; the manifests say whether that is true.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    /// The crates of the workspace that a manifest names as dependencies, without tests.
    fn dependencies(crate_name: &str) -> BTreeSet<String> {
        let path = crate::root().join("crates").join(crate_name).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"));
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let names = section.lines().filter_map(|line| line.strip_prefix("afterstate-"));
        names.filter_map(|line| line.split(['.', ' ']).next()).map(str::to_owned).collect()
    }

    #[test]
    fn the_code_map_agrees_with_the_manifests() {
        let text = fs::read_to_string(crate::root().join("ARCHITECTURE.md")).unwrap();
        let map = text.split("## Code map").nth(1).unwrap().split("\n### ").next().unwrap();
        let rows: Vec<Vec<&str>> = map
            .lines()
            .filter(|line| line.starts_with("| `"))
            .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
            .collect();
        let name = |row: &Vec<&str>| row[0].trim_matches('`').to_owned();
        let mapped: BTreeSet<String> =
            rows.iter().map(name).filter(|name| name != "xtask").collect();
        let folders = fs::read_dir(crate::root().join("crates")).unwrap();
        let crates: BTreeSet<String> =
            folders.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert_eq!(mapped, crates, "every crate has a row");
        let mut above = BTreeSet::new();
        for row in rows.iter().filter(|row| name(row) != "xtask") {
            let known = dependencies(&name(row));
            let said: BTreeSet<String> = match row.get(2).copied().unwrap_or_default() {
                "" => BTreeSet::new(),
                listed => listed.split(", ").map(str::to_owned).collect(),
            };
            assert_eq!(said, known, "what {} knows", name(row));
            assert!(known.is_subset(&above), "{} depends only on rows above it", name(row));
            above.insert(name(row));
        }
    }
}
