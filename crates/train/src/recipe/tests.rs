//! Recipes as text: round trips, changed settings, and errors.

use super::*;
use crate::learners::ntuple::NTuplePlan;
use crate::recipes::{BUILT_IN, about};

const SMALL: &str = "
    game = '2048:3x3'
    [budget]
    episodes = 10
    [network]
    tuples = ['0134', [3, 4, 5]]
    [[phase]]
    method = 'td'
    rate = 0.1
";

#[test]
fn recipes_round_trip_with_their_defaults() {
    let recipe = Recipe::parse(SMALL, &[]).unwrap();
    assert_eq!((recipe.seed, recipe.log.window), (1, 1_000));
    assert_eq!(Recipe::parse(&recipe.text().unwrap(), &[]).unwrap(), recipe);
}

#[test]
fn built_in_recipes_round_trip() {
    for (name, text) in BUILT_IN {
        let recipe = Recipe::parse(text, &[]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!about(text).is_empty(), "{name} has a description");
        let written = recipe.text().unwrap();
        assert_eq!(Recipe::parse(&written, &[]).unwrap(), recipe, "{name}");
        assert_eq!(Recipe::parse(&written, &[]).unwrap().text().unwrap(), written, "{name}");
    }
}

/// Recipes with the names of version 0.1.
const OLD: [&str; 4] = [
    "
    game = 'tetris:10x20'
    budget.seconds = 60
    [weights]
    features = 'dt'
    games = { count = 25, early = 5, most_score = 1_000 }
    [[weights.stage]]
    game = 'tetris:10x10'
    until = 0.5
    [weights.search]
    method = 'home_made'
    iterations = 500
    ",
    "
    game = 'tetris:10x20'
    budget.episodes = 60
    [lambda_pi]
    features = 'dt'
    most_moves = 7
    ",
    "
    game = 'tetris:10x20'
    budget.episodes = 60
    [cbmpi]
    features = 'dt'
    values = 'dt'
    most_moves = 7
    ",
    "
    game = 'tetris:4x20,pieces=melax'
    budget.episodes = 60
    [table]
    method = 'q'
    rate = 0.5
    sees = 'heights,differences,cap=3,window=4,mirror'
    cut = 7
    end = -2
    pay = { point = 2, hole = -1, most_holes = 3 }
    explore = { softmax = { first = 1, last = 0.5, games = 10 } }
    ",
];

/// Names of version 0.1 and their present names.
const NEW: [(&str, &str); 10] = [
    ("weights.search", "weights.optimiser"),
    ("weights.stage", "weights.curriculum"),
    ("most_score", "max_score"),
    ("home_made", "marchal_annealing"),
    ("most_moves", "max_moves"),
    ("sees", "views"),
    ("cut", "max_moves"),
    ("end", "terminal_value"),
    ("pay", "reward"),
    ("explore", "exploration"),
];

#[test]
fn old_names_in_recipes_are_read() {
    for old in OLD {
        let rename = |text: String, (old, new): &(&str, &str)| {
            ["]", " =", "'"].iter().fold(text, |text, end| {
                text.replace(&format!("{old}{end}"), &format!("{new}{end}"))
            })
        };
        let new = NEW.iter().fold(old.to_owned(), rename);
        for (old, _) in NEW {
            assert!(
                !new.split_whitespace().any(|word| word.trim_matches(['[', ']']) == old),
                "{old}"
            );
        }
        let recipe = Recipe::parse(old, &[]).unwrap();
        assert_eq!(recipe, Recipe::parse(&new, &[]).unwrap());
        assert_eq!(recipe, Recipe::parse(&recipe.text().unwrap(), &[]).unwrap());
    }
}

#[test]
fn old_names_in_settings_are_read() {
    for (recipe, old, new) in [
        (0, "weights.search.iterations=7", "weights.optimiser.iterations=7"),
        (0, "weights.search.method=home_made", "weights.optimiser.method=marchal_annealing"),
        (0, "weights.stage.0.until=0.3", "weights.curriculum.0.until=0.3"),
        (0, "weights.games.most_score=5", "weights.games.max_score=5"),
        (1, "lambda_pi.most_moves=5", "lambda_pi.max_moves=5"),
        (2, "cbmpi.most_moves=5", "cbmpi.max_moves=5"),
        (3, "table.sees=cells", "table.views=cells"),
        (3, "table.cut=5", "table.max_moves=5"),
        (3, "table.end=5", "table.terminal_value=5"),
        (3, "table.pay.hole=5", "table.reward.hole=5"),
        (3, "table.explore={epsilon=0.5}", "table.exploration={epsilon=0.5}"),
        (3, "table.explore.softmax.games=5", "table.exploration.softmax.games=5"),
    ] {
        let parse = |setting: &str| Recipe::parse(OLD[recipe], &[setting.to_owned()]).unwrap();
        assert_eq!(parse(old), parse(new), "{old}");
        if !old.ends_with("home_made") {
            assert_ne!(parse(old), Recipe::parse(OLD[recipe], &[]).unwrap(), "{old}");
        }
    }
    let both = format!("{}    views = 'cells'", OLD[3]);
    assert!(Recipe::parse(&both, &[]).unwrap_err().to_string().contains("unknown field `sees`"));
}

#[test]
fn settings_change_recipes() {
    let settings = ["seed=7", "phase.0.rate=0.5", "budget.seconds=3", "network.tuples=4x6"];
    let recipe = Recipe::parse(SMALL, &settings.map(str::to_owned)).unwrap();
    let LearnerPlan::NTuple(NTuplePlan { phases, .. }) = &recipe.learner else { panic!() };
    assert_eq!((recipe.seed, phases[0].rate), (7, 0.5));
    assert_eq!((recipe.budget.seconds, recipe.budget.episodes), (Some(3.0), None));
}

#[test]
fn a_game_is_text_in_settings() {
    for game in ["2048", "'2048'", "2048:4x4"] {
        let recipe = Recipe::parse(SMALL, &[format!("game={game}")]).unwrap();
        assert_eq!(recipe.rules, "2048".parse().unwrap(), "{game}");
    }
    let error = Recipe::parse(OLD[0], &["weights.curriculum.0.game=9".to_owned()]).unwrap_err();
    assert!(
        error.to_string().starts_with("weights.curriculum.game: unknown game \"9\""),
        "{error}"
    );
}

#[test]
fn settings_of_other_learners_are_refused() {
    let needs = "cannot be set: it needs a recipe with [network] with [[phase]], and this one has";
    for (recipe, setting, expected) in [
        (OLD[0], "network.search=expectimax:2", format!("network.search {needs} [weights]")),
        (OLD[3], "phase.0.rate=0.1", format!("phase.0.rate {needs} [table]")),
        (
            SMALL,
            "table.rate=1",
            "table.rate cannot be set: it needs a recipe with [table], and this one has [network]"
                .to_owned(),
        ),
    ] {
        let error = Recipe::parse(recipe, &[setting.to_owned()]).unwrap_err().to_string();
        assert_eq!(error, expected);
    }
}

#[test]
fn a_recipe_has_exactly_one_learner() {
    let usages = "it needs exactly one of [network] with [[phase]], [weights], [lambda_pi], \
                  [lspi], [cbmpi], [table], [evaluation], [neural]";
    let none = "game = '2048:3x3'\n[budget]\nepisodes = 10\n";
    let error = Recipe::parse(none, &[]).unwrap_err().to_string();
    assert_eq!(error, format!("the recipe has no learner: {usages}"));
    let two = format!("{SMALL}[weights]\nfeatures = 'dt'\noptimiser.method = 'cma_es'\n");
    let error = Recipe::parse(&two, &[]).unwrap_err().to_string();
    assert_eq!(error, format!("the recipe has [network] and [weights]: {usages}"));
    let half = SMALL.split("[[phase]]").next().unwrap();
    let error = Recipe::parse(half, &[]).unwrap_err().to_string();
    let missing = "no phase table ([network] with [[phase]])";
    assert_eq!(error, format!("the recipe has {missing}: {usages}"));
}

#[test]
fn invalid_settings_are_named() {
    let usage = "write for example phase.0.rate=0.05 or budget.seconds=60";
    for (setting, expected) in [
        ("phase.0.rate=-1", "phase.rate is -1, but must be 0 to 10"),
        ("phase.0.rate=nan", "phase.rate is NaN, but must be 0 to 10"),
        ("phase.0.lambda=2", "phase.lambda is 2, but must be 0 to 1"),
        (
            "phase.0.variant=chen2022",
            "phase.variant is chen2022, but must be standard unless phase.values is \"states\"",
        ),
        ("log.window=0", "log.window is 0, but must be 1 to 100000"),
        ("log.window=1000000", "log.window is 1000000, but must be 1 to 100000"),
        ("log.checkpoint_seconds=nan", "log.checkpoint_seconds is NaN, but must be 0 to 1e9"),
        ("network.tuples=[]", "network.tuples is empty, but must be one or more tuples"),
        ("game=chess", "unknown game \"chess\": the games are 2048, tetris, 1010"),
        ("rate", &format!("invalid setting \"rate\": {usage}")),
        ("phase.7.rate=1", &format!("invalid setting \"phase.7.rate=1\": {usage}")),
        ("budget.seconds=-1", "budget.seconds is -1, but must be 0 to 1e9"),
    ] {
        let error = Recipe::parse(SMALL, &[setting.to_owned()]).unwrap_err().to_string();
        assert_eq!(error, expected, "{setting}");
    }
    let error = Recipe::parse(SMALL, &["colour=1".to_owned()]).unwrap_err().to_string();
    assert!(error.starts_with("unknown key `colour`: a recipe has game, seed, budget"), "{error}");
    let error = Recipe::parse(SMALL, &["phase.0.colour=1".to_owned()]).unwrap_err().to_string();
    assert!(error.contains("unknown field `colour`"), "{error}");
    assert!(Recipe::parse("game = ", &[]).is_err());
}

#[test]
fn settings_of_batches_are_checked_together() {
    let text = "
    game = '1010:10x10'
    budget.episodes = 60
    network = { tuples = ['rectangles 3x3'], batch = 100, average = 0.1 }
    phase = [{ method = 'tc', rate = 1, survival = 20, discount = 0.99 }]
    ";
    let recipe = Recipe::parse(text, &[]).unwrap();
    assert_eq!(recipe, Recipe::parse(&recipe.text().unwrap(), &[]).unwrap());
    let without = text.replace("batch = 100, ", "");
    let points = text.replace("survival = 20, ", "");
    for (text, setting, expected) in [
        (text, "network.batch=0", "network.batch is 0"),
        (text, "network.average=1.5", "network.average is 1.5"),
        (text, "phase.0.lambda=0.5", "phase.lambda is 0.5"),
        (text, "phase.0.order=backward", "phase.order is backward"),
        (text, "phase.0.starts=carousel", "phase.starts is carousel"),
        (text, "phase.0.values=states", "phase.values is states"),
        (text, "phase.0.survival=-1", "phase.survival is -1"),
        (text, "phase.0.discount=0", "phase.discount is 0"),
        (text, "phase.0.stages=false", "phase.stages is false"),
        (text, "phase.0.forget_coherence=true", "phase.forget_coherence is true"),
        (text, "network.search=expectimax:2", "network.search is expectimax:2"),
        (&without, "seed=2", "phase.survival is 20"),
        (&points, "seed=2", "phase.discount is 0.99"),
    ] {
        let error = Recipe::parse(text, &[setting.to_owned()]).unwrap_err().to_string();
        assert!(error.contains(expected), "{setting}: {error}");
    }
}

#[test]
fn seeds_that_no_recipe_has_are_told() {
    let parse = |seed: &str| Recipe::parse(BUILT_IN[0].1, &[format!("seed={seed}")]);
    assert_eq!(parse("9223372036854775807").unwrap().seed, (1 << 63) - 1);
    for seed in ["9223372036854775808", "18446744073709551615", "99999999999999999999999"] {
        let error = parse(seed).unwrap_err().to_string();
        assert_eq!(error, format!("seed is {seed}, but must be at most 9223372036854775807"));
    }
}

/// Tables within tables are read by recursion, and a path of a hundred thousand keys overflowed the stack.
#[test]
fn paths_have_few_keys() {
    let (_, text) = BUILT_IN.iter().find(|one| one.0 == "tetris-ce").unwrap();
    for keys in [".a".repeat(100_000), ".".repeat(100_000)] {
        let setting = format!("weights.optimiser{keys}=1");
        assert!(matches!(Recipe::parse(text, &[setting]), Err(RecipeError::Setting(_))));
    }
}

/// Found by fuzzing: a line break in the name of a setting was one in the sentence.
#[test]
fn sentences_about_unknown_settings_have_one_line() {
    for setting in ["log.w\ndow=1", "log={\"w\\ndow\"=1}"] {
        let error = Recipe::parse(BUILT_IN[0].1, &[setting.to_owned()]).unwrap_err().to_string();
        assert!(error.starts_with("unknown field `w dow` in log"), "{error:?}");
    }
}
