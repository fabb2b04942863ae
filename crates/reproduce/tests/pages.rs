//! The committed pages of `results/` and the README follow from the reports.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;

use afterstate_reproduce::{
    Finding, Published, Verdict, all_pages, experiments, find, findings, read_all, records,
};

/// Nothing in a page is typed in: it follows from its JSON and the experiment.
#[test]
fn committed_pages_follow_from_their_json() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let files = all_pages(&results).unwrap();
    for (path, text) in &files {
        let committed = fs::read_to_string(path).unwrap_or_default();
        assert!(committed == *text, "{}: run afterstate reproduce --pages", path.display());
    }
    // And every page of an experiment has its JSON.
    for folder in [results.clone(), results.join("quick")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy();
            if path.extension().is_some_and(|end| end == "md") && find(&name).is_some() {
                assert!(files.iter().any(|file| file.0 == path), "{} has no JSON", path.display());
            }
        }
    }
}

/// The README opens with the same table as the results, its links into their folder.
#[test]
fn the_readme_has_the_table_of_the_strongest_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let table = records(&read_all(&root.join("results")).unwrap(), "results/");
    assert!(table.lines().count() > 9, "{table}");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(&table), "README.md: replace the table of results by\n\n{table}");
}

/// The full stops that end a sentence.
fn sentences(text: &str) -> usize {
    let ends = text.match_indices(". ").filter(|(at, _)| !text[..*at].ends_with(" al")).count();
    ends + usize::from(text.ends_with('.'))
}

/// A reader learns why a figure differs, and reads at most five sentences about an experiment.
#[test]
fn what_differs_is_explained_in_a_few_sentences() {
    let mut wrong = Vec::new();
    for experiment in experiments() {
        let count = sentences(&experiment.differences.join(" "));
        if count > 5 {
            wrong.push(format!("{}: {count} sentences", experiment.name));
        }
    }
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    for report in read_all(&results).unwrap().iter().filter(|report| report.is_full()) {
        let experiment = find(&report.name).unwrap();
        // A report that is older than its experiment lacks rows, until it is measured again.
        let has = |one: &Published| report.row(one.case, &one.quantity.to_string()).is_some();
        let older = !experiment.published.iter().all(has);
        for Finding { published, verdict, because } in findings(experiment, report) {
            let told = match verdict {
                Verdict::Differs | Verdict::Undecided if published.starts_with('"') => {
                    !because.is_empty()
                }
                Verdict::Differs | Verdict::Undecided => because.contains(": "),
                Verdict::Contradicted => !because.is_empty(),
                Verdict::Open => older || !because.is_empty(),
                _ => true,
            };
            if !told {
                wrong.push(format!("{}: {published} {verdict} without a reason", report.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
