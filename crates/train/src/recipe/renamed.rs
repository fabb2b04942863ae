//! Renamed settings: recipes and `--set` may use the names of version 0.1.

/// Old and new paths of settings, the longer ones first.
const RENAMED: &[(&str, &str)] = &[
    ("weights.games.most_score", "weights.games.max_score"),
    ("weights.search", "weights.optimiser"),
    ("weights.stage", "weights.curriculum"),
    ("cbmpi.most_moves", "cbmpi.max_moves"),
    ("lambda_pi.most_moves", "lambda_pi.max_moves"),
    ("table.sees", "table.views"),
    ("table.pay", "table.reward"),
    ("table.cut", "table.max_moves"),
    ("table.end", "table.terminal_value"),
    ("table.explore", "table.exploration"),
];

/// The present path of a setting.
pub(super) fn present_path(path: &str) -> String {
    for (old, new) in RENAMED {
        match path.strip_prefix(old) {
            Some(rest) if rest.is_empty() || rest.starts_with('.') => {
                return format!("{new}{rest}");
            }
            _ => {}
        }
    }
    path.to_owned()
}

/// Gives the settings of a recipe their present names. A setting under both names keeps both, so
/// that parsing reports the old one as unknown.
pub(super) fn rename(recipe: &mut toml::Table) {
    for (old, new) in RENAMED {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split('.').collect(), new.split('.').collect());
        let (Some((old, parents)), Some(new)) = (old.split_last(), new.last()) else { continue };
        let parent = parents.iter().try_fold(&mut *recipe, |table, key| {
            table.get_mut(*key).and_then(toml::Value::as_table_mut)
        });
        if let Some(parent) = parent.filter(|parent| !parent.contains_key(*new))
            && let Some(value) = parent.remove(*old)
        {
            parent.insert((*new).to_owned(), value);
        }
    }
}
