//! Errors of serde in plain words: which field, what it is, and what it must be.

/// What is read, for the words of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Recipes.
    Toml,
    /// Results, replays, agents, requests.
    Json,
}

/// An error of serde as a plain sentence. `path` is that of the field, such as `phase.rate`, or empty.
/// What is not known is passed on as it is.
pub fn plain(format: Format, path: &str, message: &str) -> String {
    let (message, place) = match message.find(" at line ") {
        Some(at) => message.split_at(at),
        None => (message, ""),
    };
    sentence(format, path, message).map_or_else(
        || match path {
            "" => format!("{message}{place}"),
            _ => format!("{path}: {message}"),
        },
        |sentence| format!("{sentence}{place}"),
    )
}

fn sentence(format: Format, path: &str, message: &str) -> Option<String> {
    let whole = match format {
        Format::Toml => "the recipe",
        Format::Json => "the file",
    };
    let name = if path.is_empty() { whole } else { path };
    if let Some(field) = message.strip_prefix("missing field ") {
        let field = field.trim_matches('`');
        let dot = if path.is_empty() { "" } else { "." };
        return Some(format!("{path}{dot}{field} is missing"));
    }
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (field, known) = rest.split_once(", ")?;
        let known = known.strip_prefix("expected ").unwrap_or("there are none");
        let known = known.strip_prefix("one of ").unwrap_or(known).replace('`', "");
        // The path may end with the unknown field itself.
        let parent =
            path.strip_suffix(field.trim_matches('`')).map(|path| path.trim_end_matches('.'));
        let name = match parent.unwrap_or(path) {
            "" => whole,
            parent => parent,
        };
        return Some(format!("unknown field {field} in {name}: the fields are {known}"));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (variant, known) = rest.split_once(", expected ")?;
        let (variant, known) = (variant.trim_matches('`'), known.replace('`', ""));
        return Some(format!("{name} is {variant:?}, but must be {known}"));
    }
    if let Some(expected) = message.strip_prefix("expected ") {
        // A text of `serde(expecting)`; syntax errors of JSON come without a path.
        return (!path.is_empty()).then(|| format!("{name} must be {expected}"));
    }
    let rest = ["invalid type: ", "invalid value: ", "invalid length "];
    let rest = rest.iter().find_map(|prefix| message.strip_prefix(prefix))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    if message.starts_with("invalid length") && expected.starts_with("struct ") {
        let (found, expected) = ("a sequence", "a map");
        let [found, expected] = [found, expected].map(|kind| expected_words(format, kind));
        return Some(format!("{name} is {found}, but must be {expected}"));
    }
    if message.starts_with("invalid length") {
        return Some(format!("{name} has {found} entries, but must have {expected}"));
    }
    let expected = match (format, found, expected) {
        (Format::Toml, "map", "a sequence") if !path.is_empty() => {
            format!("a list of tables: write [[{path}]] instead of [{path}]")
        }
        _ => expected_words(format, expected),
    };
    Some(format!("{name} is {}, but must be {expected}", found_words(format, found)))
}

/// A value, by what serde calls it: `integer 7` is 7.
fn found_words(format: Format, found: &str) -> String {
    let kinds = ["integer", "floating point", "boolean", "string", "character"];
    let value = kinds.iter().find_map(|kind| found.strip_prefix(kind)?.strip_prefix(' '));
    match value {
        Some(value) => value.trim_matches('`').to_owned(),
        None => expected_words(format, &format!("a {found}")),
    }
}

/// A type, by what serde calls it.
fn expected_words(format: Format, expected: &str) -> String {
    let table = match format {
        Format::Toml => "a table",
        Format::Json => "an object",
    };
    match expected {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "a string" => "text in quotes",
        "a boolean" | "bool" => "true or false",
        "a sequence" => "a list",
        "a map" => table,
        "a null" => "null",
        other if other.starts_with("struct ") || other.starts_with("enum ") => table,
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_field_and_what_it_must_be() {
        use Format::{Json, Toml};
        for (format, path, message, expected) in [
            (Toml, "", "missing field `game`", "game is missing"),
            (Toml, "phase", "missing field `method`", "phase.method is missing"),
            (
                Toml,
                "phase",
                "invalid type: map, expected a sequence",
                "phase is a table, but must be a list of tables: write [[phase]] instead of [phase]",
            ),
            (
                Json,
                "rows",
                "invalid type: map, expected a sequence at line 1 column 29",
                "rows is an object, but must be a list at line 1 column 29",
            ),
            (
                Json,
                "",
                "invalid type: sequence, expected struct Report at line 1 column 0",
                "the file is a list, but must be an object at line 1 column 0",
            ),
            (
                Toml,
                "phase.rate",
                "invalid type: string \"a, expected b\", expected f32",
                "phase.rate is \"a, expected b\", but must be a number",
            ),
            (
                Toml,
                "budget.episodes",
                "invalid value: integer `-5`, expected u64",
                "budget.episodes is -5, but must be a whole number, 0 or more",
            ),
            (
                Toml,
                "phase.method",
                "unknown variant `tx`, expected `td` or `tc`",
                "phase.method is \"tx\", but must be td or tc",
            ),
            (
                Toml,
                "phase",
                "unknown field `colour`, expected one of `share`, `rate`",
                "unknown field `colour` in phase: the fields are share, rate",
            ),
            (Toml, "network.tuples", "expected a name", "network.tuples must be a name"),
            (
                Json,
                "ci95",
                "invalid length 1, expected a tuple of size 2",
                "ci95 has 1 entries, but must have a tuple of size 2",
            ),
            (Json, "", "expected value at line 1 column 1", "expected value at line 1 column 1"),
            (Json, "a", "too deep", "a: too deep"),
        ] {
            assert_eq!(plain(format, path, message), expected);
        }
    }
}
