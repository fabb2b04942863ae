//! Values of flags: numbers within bounds, games, and text from files.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use afterstate_games::pieces::{parse_pieces, pieces_text};
use afterstate_games::spec::{GameSpec, SpecError};

/// A number from 0 to 1.
pub(super) fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err(format!("{text:?} is not a number from 0 to 1")),
    }
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1024).contains(number));
    number.ok_or_else(|| "expected a number from 1 to 1024".to_owned())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds| (0.0..=3600.0).contains(seconds));
    number.ok_or_else(|| "expected seconds from 0 to 3600".to_owned())
}

/// The seed of anything random.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

/// The seed of a training, which stands in its recipe: TOML has no larger numbers.
pub(super) fn seed_of_recipe(text: &str) -> Result<u64, String> {
    let seed = seed(text).ok().filter(|&seed| i64::try_from(seed).is_ok());
    seed.ok_or_else(|| format!("expected a whole number from 0 to {}", i64::MAX))
}

/// A number of bytes, such as 16MiB or 500KiB.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let size = units.into_iter().find_map(|(unit, bytes)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * bytes as f64).filter(|size| (1.0..=1e15).contains(size))
    });
    let wrong = || format!("{text:?} is not a size: expected one such as 16MiB, 1.5GiB or 500KiB");
    size.map(|size| size as u64).ok_or_else(wrong)
}

/// A game spec, in which `pieces=@FILE` stands for the pieces drawn in a file.
pub(super) fn game(text: &str) -> Result<GameSpec, String> {
    const MARK: &str = "pieces=@";
    let parse = |text: &str| text.parse().map_err(|error: SpecError| error.to_string());
    let Some(at) = text.find(MARK) else { return parse(text) };
    let (before, rest) = text.split_at(at);
    let rest = &rest[MARK.len()..];
    let (path, after) = rest.find(',').map_or((rest, ""), |comma| rest.split_at(comma));
    // A game without the option is refused before the file is read.
    if let Err(error @ (SpecError::UnknownGame { .. } | SpecError::UnknownOption { .. })) =
        format!("{before}pieces=#{after}").parse::<GameSpec>()
    {
        return Err(error.to_string());
    }
    if path.is_empty() {
        return Err("option pieces: no file after @, expected pieces=@FILE".to_owned());
    }
    let pieces = parse_pieces(&read_text(path)?).map_err(|error| format!("{path}: {error}"))?;
    parse(&format!("{before}pieces={}{after}", pieces_text(&pieces)))
}

/// The name of a path in messages.
pub(crate) fn display_name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Text from a file, or from standard input for `-`: UTF-8, at most 1 MiB.
pub(crate) fn read_text(path: &str) -> Result<String, String> {
    const MAX_BYTES: u64 = 1 << 20;
    let name = display_name(path);
    let mut bytes = Vec::new();
    let mut read = |source: &mut dyn Read| source.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    let result = match path {
        "-" => read(&mut std::io::stdin().lock()),
        _ => File::open(Path::new(path)).and_then(|mut file| read(&mut file)),
    };
    result.map_err(|error| format!("cannot read {name}: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("{name} is larger than 1 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(size("16MiB"), Ok(16 << 20));
        assert_eq!(size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(size("500KiB"), Ok(500 << 10));
        for wrong in
            ["", "16", "MiB", "16MB", "16 mib", "-1MiB", "0MiB", "NaNMiB", "infGiB", "1e30KiB"]
        {
            let sentence = "is not a size: expected one such as 16MiB, 1.5GiB or 500KiB";
            assert_eq!(size(wrong), Err(format!("{wrong:?} {sentence}")));
        }
    }
}
