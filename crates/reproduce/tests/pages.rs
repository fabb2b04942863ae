//! The committed pages of `results/` and the README follow from the reports.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::fs;
use std::path::Path;

use afterstate_reproduce::{
    Experiment, FIGURES_OF_OTHER_PAGES, Finding, Published, Report, Verdict, all_pages,
    experiments, find, findings, read_all, records, table,
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
        // Without quick forms there is no folder of them.
        for entry in fs::read_dir(folder).into_iter().flatten() {
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
                Verdict::Contradicted | Verdict::NotTestable => !because.is_empty(),
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

/// Numbers of others that no row or sentence has, and sums of such.
const OF_OTHERS: [&str; 6] = [
    "6,058",   // pieces a second in the log of the program of Marchal et al.
    "164,000", // lines by cross-entropy with the features of Bertsekas & Ioffe
    "16,807",  // 7^5
    // What the terms of a sum in section 4.1.7 of Tang 2019 make, and with another term.
    "373.888", "466.72", "375.755",
];

/// The numbers of a text with four digits or more, without the zeros that a unit adds.
fn long_numbers(text: &str) -> Vec<&str> {
    let of_number = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let parts = text.split(|c| !of_number(c)).map(|part| part.trim_matches([',', '.']));
    let parts = parts.map(|part| part.strip_suffix(".0").unwrap_or(part));
    let digits = |part: &&str| part.chars().filter(char::is_ascii_digit).count();
    parts.filter(|part| digits(part) >= 4).collect()
}

/// A setting is a round number: thousands with one or two digits before their zeros.
fn is_setting(number: &str) -> bool {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    !number.contains('.') && digits.trim_end_matches('0').len() <= 2
}

/// Everything that the tables of an experiment show, with the sentences and the notes.
fn shown(experiment: &Experiment, report: &Report) -> String {
    let rows = table(experiment, report).concat().join(" ");
    let says: Vec<&str> = experiment.statements.iter().map(|statement| statement.says).collect();
    let published = experiment.published.iter().filter_map(|one| one.value);
    let published: Vec<String> = published.map(|value| value.to_string()).collect();
    let trainings = report.trainings.iter().map(|training| training.training.as_str());
    let trainings: Vec<&str> = trainings.collect();
    [
        experiment.title,
        experiment.source,
        &rows,
        &says.join(" "),
        &report.notes.join(" "),
        &trainings.join(" "),
        &published.join(" "),
    ]
    .join(" ")
}

/// A figure that a text repeats is that of its page, or of a page that the text names. Settings, which are
/// round, and years are no figures.
#[test]
fn numbers_in_texts_are_those_of_the_pages() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let reports = read_all(&results).unwrap();
    let full = |name: &str| reports.iter().find(|report| report.name == name && report.is_full());
    let mut wrong = Vec::new();
    for experiment in experiments() {
        let Some(report) = full(experiment.name) else { continue };
        let texts =
            experiment.differences.iter().chain(experiment.reasons.iter().map(|one| &one.1));
        for text in texts {
            let named = text.split('`').filter_map(|name| Some((find(name)?, full(name)?)));
            let pages: String = named
                .chain([(experiment, report)])
                .map(|(experiment, report)| shown(experiment, report))
                .collect();
            let known = long_numbers(&pages);
            let year = |number: &&str| {
                number.len() == 4 && (1990..2030).contains(&number.parse().unwrap_or(0))
            };
            let unknown = long_numbers(text).into_iter().filter(|number| {
                !known.contains(number)
                    && !is_setting(number)
                    && !year(number)
                    && !OF_OTHERS.contains(number)
            });
            wrong
                .extend(unknown.map(|number| format!("{}: {number} in {text:?}", experiment.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What sentences of a page take from another page is what stands there.
#[test]
fn figures_of_other_pages_are_theirs() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    for (name, case, quantity, taken) in FIGURES_OF_OTHER_PAGES {
        let report = Report::read(&results.join(format!("{name}.json"))).unwrap();
        let row =
            report.rows.iter().find(|row| row.case == case && row.what == quantity.to_string());
        let shown = row.unwrap().played.unwrap();
        // As pages round.
        assert_eq!(shown.value.round(), taken.value, "{name}");
        if let Some((low, high)) = taken.ci95 {
            let ends = shown.ci95.unwrap();
            assert_eq!((ends.0.round(), ends.1.round()), (low, high), "{name}");
        }
    }
}

/// `reproduce --list` tells about as long as the committed results took.
#[test]
fn minutes_are_those_of_the_committed_results() {
    /// Pieces that one core plays in a second, for games that a GPU played.
    const PIECES: f64 = 2.9e6;
    /// The most pieces of a report on two cores: on a GPU some play longer games.
    const MOST: f64 = 3_300.0 * 4e6;
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
    let mut wrong = Vec::new();
    for report in read_all(&results).unwrap() {
        // Other commands play other numbers of games.
        let own = report.command.starts_with("afterstate reproduce ");
        if !report.is_full() || !own || report.trainings.is_empty() {
            continue;
        }
        let core_seconds =
            report.trainings.iter().map(|cost| match cost.machine.contains("NVIDIA") {
                true => (cost.moves as f64).min(MOST) / PIECES,
                false => cost.seconds * cost.threads as f64,
            });
        let minutes = (core_seconds.sum::<f64>() / 60.0 / 2.0).max(1.0);
        let told = f64::from(find(&report.name).unwrap().minutes);
        if !(minutes / 2.0..=2.0 * minutes).contains(&told) {
            wrong.push(format!("{}: {told} minutes, and its costs are {minutes:.0}", report.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
