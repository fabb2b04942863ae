//! SECURITY.md lists the files with unsafe code and the tests of their contracts; the sources say whether
//! that is true, and whether code for some instructions is called only where they were detected.

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::{Path, PathBuf};

    /// The files of a folder with an extension, in all its folders.
    fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, extension, found);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }

    /// The sources of the crates and of the Python package, by their paths below the root.
    fn sources(extension: &str) -> Vec<(String, String)> {
        let mut paths = Vec::new();
        for folder in ["crates", "python/src", "python/tests"] {
            files(&crate::root().join(folder), extension, &mut paths);
        }
        let read = |path: PathBuf| {
            let name = path.strip_prefix(crate::root()).unwrap().display().to_string();
            (name, fs::read_to_string(&path).unwrap_or_default())
        };
        paths.into_iter().map(read).collect()
    }

    /// What stands between backticks in a cell of a table.
    fn quoted(cell: &str) -> impl Iterator<Item = &str> {
        cell.split('`').skip(1).step_by(2)
    }

    /// The files in a cell, each with the number of its places with unsafe code: `a.rs` (3), `b.rs` (1).
    fn counted(cell: &str) -> Vec<(String, usize)> {
        let parts = cell.split('`').skip(1).collect::<Vec<_>>();
        let count = |text: &str| text.strip_prefix(" (")?.split(')').next()?.parse().ok();
        let file = |pair: &[&str]| (pair[0].to_owned(), count(pair[1]).unwrap_or(0));
        parts.chunks_exact(2).map(file).collect()
    }

    /// Blocks, functions and implementations that are unsafe.
    fn places(text: &str) -> usize {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        let words = ["unsafe {", "unsafe impl", "unsafe fn", "unsafe extern"];
        lines.map(|line| words.iter().map(|word| line.matches(word).count()).sum::<usize>()).sum()
    }

    /// A new block is noticed in a listed file, too.
    #[test]
    fn every_file_with_unsafe_code_is_listed_with_its_tests() {
        let security = fs::read_to_string(crate::root().join("SECURITY.md")).unwrap();
        let section = security.split("## Unsafe code").nth(1).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let (rust, python) = (sources("rs"), sources("py"));
        let mut listed = BTreeMap::new();
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
            listed.extend(counted(cells[0].trim_start_matches("| ")));
            let tests = quoted(cells[2]).filter(|name| !name.contains(' '));
            for name in tests {
                let begin = [format!("fn {name}("), format!("def {name}(")];
                let is_in = |(_, text): &(String, String)| begin.iter().any(|b| text.contains(b));
                assert!(rust.iter().chain(&python).any(is_in), "there is no test {name}");
            }
        }
        let is_tested = |name: &str| name.contains("/tests/");
        let with_unsafe: BTreeMap<String, usize> = rust
            .iter()
            .filter(|(name, text)| !is_tested(name) && places(text) > 0)
            .map(|(name, text)| (name.trim_start_matches("crates/").to_owned(), places(text)))
            .collect();
        assert_eq!(listed, with_unsafe);
    }

    /// The instructions named in some quotes, `"a,b"` or `"a", "b"`.
    fn names(text: &str) -> BTreeSet<String> {
        let quoted = text.split('"').skip(1).step_by(2);
        quoted.flat_map(|list| list.split(',')).map(|name| name.trim().to_owned()).collect()
    }

    #[test]
    fn code_for_some_instructions_is_called_where_they_were_detected() {
        let rust = sources("rs");
        let mut detected = Vec::new();
        for (_, text) in &rust {
            // All that one expression asks for, and all of a token.
            for part in
                text.split(['{', '}', ';']).filter(|part| part.contains("feature_detected!"))
            {
                let of_each = part.split("feature_detected!").skip(1);
                detected
                    .push(of_each.flat_map(|asked| names(&asked[..asked.len().min(30)])).collect());
            }
            let tokens = text.split("token!(").skip(1);
            detected.extend(tokens.map(|token| names(token.split(')').next().unwrap_or_default())));
        }
        let mut lists = 0;
        for (file, text) in &rust {
            for list in text.split("#[target_feature(enable = ").skip(1) {
                let needed = names(list.split(')').next().unwrap_or_default());
                let is_detected = |found: &BTreeSet<String>| needed.is_subset(found);
                assert!(detected.iter().any(is_detected), "{file}: {needed:?}");
                lists += 1;
            }
        }
        assert!(lists > 10, "{lists} lists");
    }
}
