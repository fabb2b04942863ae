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

    /// Where code for some instructions is called although neither a condition nor a token stands beside the
    /// call: the file, the call, and what in the file says that the instructions were detected before.
    const DETECTED_BEFORE: [(&str, &str, &[&str]); 5] = [
        // The field `wide` is set by detection and asked beside the call.
        (
            "games/src/tenten/cells.rs",
            "compiled.indices_avx2(",
            &["let wide = is_x86_feature_detected!(\"avx2\");", "if compiled.wide {"],
        ),
        // One variant of an enumeration is made after detection only.
        (
            "games/src/twenty48/cells.rs",
            "self.indices_avx2(",
            &[
                "if is_x86_feature_detected!(\"avx2\") && is_x86_feature_detected!(\"bmi2\") {\n                \
             return Vectors::Avx2;",
                "Vectors::Avx2 => unsafe { self.indices_avx2(",
            ],
        ),
        // There is no value of these types without detection.
        ("games/src/twenty48/wide.rs", "self.gather::<", &["if !has_avx512()"]),
        ("games/src/twenty48/wide.rs", "self.gather_four(", &["if !has_avx512()"]),
        ("games/src/twenty48/wide_outcomes.rs", "group.with", &["if !has_avx512()"]),
    ];

    /// The instructions that a condition or the token of a `match` beside a call proves.
    fn proofs(rust: &[(String, String)]) -> Vec<(&'static str, BTreeSet<String>)> {
        let of = |file: &str| &rust.iter().find(|(name, _)| name.ends_with(file)).unwrap().1;
        let asked = |function: &str| {
            let body =
                of("core/src/processor.rs").split(&format!("fn {function}(")).nth(1).unwrap();
            let body = body.split("\n}").next().unwrap();
            let asked = body.split("feature_detected!").skip(1);
            asked.flat_map(|one| names(&one[..one.len().min(30)])).collect()
        };
        let token = |file: &str, name: &str| {
            let begin = format!("token!({name}:");
            names(of(file).split(&begin).nth(1).unwrap().split(')').next().unwrap())
        };
        let fast = "tetris/features/fast";
        vec![
            ("has_avx512()", asked("has_avx512")),
            ("has_bit_counts()", asked("has_bit_counts")),
            ("Kind::Counting(_)", token(&format!("{fast}/mod.rs"), "BitCounts")),
            ("Kind::Avx2(token)", token(&format!("{fast}/avx2.rs"), "Token")),
            ("Kind::Avx512(token)", token(&format!("{fast}/avx512.rs"), "Token")),
        ]
    }

    /// Every call of code for some instructions stands beside what proves that the processor has them:
    /// inside other code for them, after a condition, in the arm of a token, or in a listed place.
    #[test]
    fn code_for_some_instructions_is_called_where_they_were_detected() {
        const ATTRIBUTE: &str = "#[target_feature(enable = ";
        let rust = sources("rs");
        let proofs = proofs(&rust);
        let (mut functions, mut calls, mut listed) = (0, 0, BTreeSet::new());
        for (file, text) in &rust {
            for part in text.split(ATTRIBUTE).skip(1) {
                let needed = names(part.split(')').next().unwrap_or_default());
                let name = part.split("fn ").nth(1).unwrap();
                let name = name.split(['(', '<']).next().unwrap();
                functions += 1;
                // They are private, or of their folder.
                let folder = file.rsplit_once('/').unwrap().0;
                for (caller, text) in rust.iter().filter(|(other, _)| other.starts_with(folder)) {
                    let is_own = caller == file;
                    let defines = |end: &str| text.contains(&format!("fn {name}{end}"));
                    if !is_own && (defines("(") || defines("<")) {
                        continue;
                    }
                    let is_call = |at: usize| {
                        let (before, after) = (&text[..at], &text[at + name.len()..]);
                        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                        let ends = after.starts_with('(') || after.starts_with("::<");
                        begins && ends && !before.ends_with("fn ") && !before.ends_with("::")
                    };
                    for (at, _) in text.match_indices(name).filter(|&(at, _)| is_call(at)) {
                        let begin = text[..at].rfind("\n    fn ").max(text[..at].rfind("\nfn "));
                        let begin = begin.max(text[..at].rfind("fn ")).unwrap_or(0);
                        let before = &text[begin..at];
                        // A function of that name for other processors has no such attribute.
                        let has_unsafe = before.contains("unsafe {") || before.ends_with("simd!(");
                        let attribute = text[..begin].rfind(ATTRIBUTE).filter(|&at| {
                            !text[at..begin].contains("\n}") && !text[at..begin].contains("\n    }")
                        });
                        let own = attribute.map(|at| {
                            names(text[at + ATTRIBUTE.len()..].split(')').next().unwrap())
                        });
                        if own.as_ref().is_some_and(|own| needed.is_subset(own)) {
                            calls += usize::from(is_own);
                            continue;
                        }
                        if !has_unsafe {
                            // Safe code cannot call it: this is another function of the same name.
                            continue;
                        }
                        calls += 1;
                        // The last proof before the call counts: the arms of a match follow each other.
                        let of_file = text.split("\ntoken!(Token:").nth(1);
                        let of_file = of_file.map(|list| names(list.split(')').next().unwrap()));
                        let of_file = of_file.iter().map(|own| ("simd!(", own));
                        let proof = (proofs.iter().map(|(word, found)| (*word, found)))
                            .chain(of_file)
                            .filter_map(|(word, found)| Some((before.rfind(word)?, found)))
                            .max_by_key(|(place, _)| *place);
                        if proof.is_some_and(|(_, found)| needed.is_subset(found)) {
                            continue;
                        }
                        let place = DETECTED_BEFORE.iter().position(|(listed, call, said)| {
                            caller.ends_with(listed)
                                && text[..at + name.len() + 3]
                                    .rfind(call)
                                    .is_some_and(|found| found <= at && at < found + call.len())
                                && said.iter().all(|said| text.contains(said))
                        });
                        let line = text[..at].lines().count();
                        let place = place.unwrap_or_else(|| {
                            panic!("{caller}:{line}: nothing proves {needed:?} for {name}")
                        });
                        listed.insert(place);
                    }
                }
            }
        }
        assert!(functions > 20 && calls > 20, "{functions} functions, {calls} calls");
        assert_eq!(listed.len(), DETECTED_BEFORE.len(), "a listed call is gone: {listed:?}");
    }
}
