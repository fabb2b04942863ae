//! `Search`: what a search does, as text such as `expectimax:3,beam=20`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The largest depth.
pub(crate) const MAX_PLIES: u32 = 64;

/// How the values of chance outcomes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// The expectation over all chance outcomes.
    Expectimax,
    /// The minimum over all chance outcomes, by alpha-beta.
    Minimax,
    /// The minimum by plain minimax, which visits every node: the reference implementation of
    /// alpha-beta.
    ReferenceMinimax,
}

/// How deep a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Depth {
    /// A number of plies: 1 compares moves by reward plus value, 2 adds all chance outcomes and the
    /// best reply to each.
    Plies(u32),
    /// Iterative deepening for a time.
    Time(Duration),
    /// One ply per known move: the hand of 1010!, the piece and the next one in Tetris.
    Known,
}

/// What a search does.
///
/// ```
/// use afterstate_search::Search;
///
/// let search: Search = "expectimax:3,beam=20".parse()?;
/// let mut same = Search::expectimax(3);
/// same.beam = Some(20);
/// assert_eq!(search, same);
/// assert!("greedy".parse::<Search>()?.is_greedy());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Search {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The depth.
    pub depth: Depth,
    /// How many moves of a state are searched, the best ones; at the root all of them where all are
    /// to be ranked. Without it all, except in a search of the known moves that would be too wide.
    pub beam: Option<usize>,
    /// The probability of a line below which it is not searched further; 0 for no limit.
    pub min_probability: f64,
    /// Boards with this tile or a larger one are downgraded before the search (2048).
    pub downgrade: Option<u64>,
    /// Iterative deepening that ends at this time, whatever the depth.
    pub time_limit: Option<Duration>,
}

/// A text that is no search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// There is no such algorithm, or it needs a depth.
    #[error("unknown search {0:?}: use {FORMS}")]
    Unknown(String),
    /// There is no such option.
    #[error("search {search:?} has the unknown option {option:?}: the options are {OPTIONS}")]
    Option {
        /// The text.
        search: String,
        /// The option.
        option: String,
    },
    /// A depth or an option is out of range.
    #[error("invalid search {search:?}: {rule}")]
    Value {
        /// The text.
        search: String,
        /// What would be right.
        rule: &'static str,
    },
}

const FORMS: &str = "greedy, expectimax:PLIES, expectimax:TIMEms, expectimax:hand or \
    minimax:PLIES, then ,beam=N ,probability=P ,downgrade=TILE or ,within=TIMEms";

const OPTIONS: &str = "beam=N, probability=P, downgrade=TILE and within=TIMEms";

impl Search {
    /// One ply.
    pub const GREEDY: Search = Search::expectimax(1);

    /// Expectimax of that many plies.
    pub const fn expectimax(plies: u32) -> Search {
        Search::new(Algorithm::Expectimax, Depth::Plies(plies))
    }

    /// Minimax of that many plies.
    pub const fn minimax(plies: u32) -> Search {
        Search::new(Algorithm::Minimax, Depth::Plies(plies))
    }

    /// A search without options.
    pub const fn new(algorithm: Algorithm, depth: Depth) -> Search {
        let (beam, downgrade, time_limit) = (None, None, None);
        Search { algorithm, depth, beam, min_probability: 0.0, downgrade, time_limit }
    }

    /// Whether this is greedy play, without search.
    pub fn is_greedy(&self) -> bool {
        self.depth == Depth::Plies(1) && self.downgrade.is_none()
    }
}

impl FromStr for Search {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Search, SearchError> {
        let shortened = |text: &str| text.chars().take(60).collect::<String>();
        let unknown = || SearchError::Unknown(shortened(text));
        let invalid = |rule| SearchError::Value { search: shortened(text), rule };
        let mut parts = text.trim().split(',');
        let first = parts.next().unwrap_or_default();
        let (name, depth) = first.split_once(':').unwrap_or((first, ""));
        let algorithm = match name {
            "greedy" | "expectimax" => Algorithm::Expectimax,
            "minimax" => Algorithm::Minimax,
            // "plain-minimax" is the name of version 0.1.
            "reference-minimax" | "plain-minimax" => Algorithm::ReferenceMinimax,
            _ => return Err(unknown()),
        };
        let depth = match (name, depth) {
            ("greedy", "") => Depth::Plies(1),
            ("greedy", _) | (_, "") => return Err(unknown()),
            (_, "hand") => Depth::Known,
            (_, depth) => parse_depth(depth)
                .ok_or_else(|| invalid("the depth is 1 to 64 plies, 1ms to 3600000ms, or hand"))?,
        };
        let mut search = Search::new(algorithm, depth);
        for option in parts {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            match key {
                "beam" => {
                    let beam = value.parse().ok().filter(|beam| (1..=1_000_000).contains(beam));
                    search.beam = Some(beam.ok_or_else(|| invalid("beam is 1 to 1000000 moves"))?);
                }
                // "odds" is the name of version 0.1.
                "probability" | "odds" => {
                    let probability = value.parse().ok().filter(|p| (0.0..=1.0).contains(p));
                    search.min_probability =
                        probability.ok_or_else(|| invalid("probability is 0 to 1"))?;
                }
                "downgrade" => {
                    let tile = value.parse().ok().filter(|tile: &u64| *tile >= 8);
                    let tile = tile.filter(|tile| tile.is_power_of_two());
                    search.downgrade =
                        Some(tile.ok_or_else(|| invalid("downgrade is a tile of 8 or more"))?);
                }
                "within" => match parse_depth(value) {
                    Some(Depth::Time(time)) => search.time_limit = Some(time),
                    _ => return Err(invalid("within is 1ms to 3600000ms")),
                },
                _ => {
                    let (search, option) = (shortened(text), shortened(option));
                    return Err(SearchError::Option { search, option });
                }
            }
        }
        Ok(search)
    }
}

fn parse_depth(text: &str) -> Option<Depth> {
    let digits =
        |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    if let Some(time) = text.strip_suffix("ms") {
        let time: u64 = digits(time).filter(|time| (1..=3_600_000).contains(time))?;
        return Some(Depth::Time(Duration::from_millis(time)));
    }
    let plies = digits(text).filter(|plies| (1..=u64::from(MAX_PLIES)).contains(plies))?;
    Some(Depth::Plies(plies as u32))
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.algorithm, self.depth) {
            (Algorithm::Expectimax, Depth::Plies(1)) => f.write_str("greedy")?,
            (algorithm, depth) => {
                f.write_str(match algorithm {
                    Algorithm::Expectimax => "expectimax:",
                    Algorithm::Minimax => "minimax:",
                    Algorithm::ReferenceMinimax => "reference-minimax:",
                })?;
                match depth {
                    Depth::Plies(plies) => write!(f, "{plies}")?,
                    Depth::Time(time) => write!(f, "{}ms", time.as_millis())?,
                    Depth::Known => f.write_str("hand")?,
                }
            }
        }
        if let Some(beam) = self.beam {
            write!(f, ",beam={beam}")?;
        }
        if self.min_probability > 0.0 {
            write!(f, ",probability={}", self.min_probability)?;
        }
        if let Some(tile) = self.downgrade {
            write!(f, ",downgrade={tile}")?;
        }
        match self.time_limit {
            Some(time) => write!(f, ",within={}ms", time.as_millis()),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_round_trip() {
        for text in [
            "greedy",
            "expectimax:3",
            "expectimax:50ms",
            "expectimax:hand,beam=20",
            "minimax:2",
            "reference-minimax:2",
            "expectimax:4,probability=0.001,downgrade=16384",
            "minimax:3,within=2000ms",
        ] {
            assert_eq!(text.parse::<Search>().unwrap().to_string(), text);
        }
        assert_eq!("expectimax:1".parse::<Search>().unwrap(), Search::GREEDY);
        assert_eq!("minimax:2".parse::<Search>().unwrap(), Search::minimax(2));
    }

    #[test]
    fn the_spelling_of_version_0_1_is_read() {
        for (old, new) in [
            ("plain-minimax:2", "reference-minimax:2"),
            ("expectimax:4,odds=0.001,beam=3", "expectimax:4,beam=3,probability=0.001"),
        ] {
            assert_eq!(old.parse::<Search>().unwrap().to_string(), new);
        }
    }

    #[test]
    fn errors_are_sentences() {
        let depth = "the depth is 1 to 64 plies, 1ms to 3600000ms, or hand";
        let use_forms = format!("use {FORMS}");
        for text in ["", "greedy:2", "expectimax", "expectimax:", "max:2"] {
            let error = text.parse::<Search>().unwrap_err().to_string();
            assert_eq!(error, format!("unknown search {text:?}: {use_forms}"));
        }
        for (text, rule) in [
            ("expectimax:0", depth),
            ("expectimax:65", depth),
            ("expectimax:-1", depth),
            ("expectimax:+3", depth),
            ("expectimax:0ms", depth),
            ("expectimax:1.5", depth),
            ("expectimax:99999999999999999999", depth),
            ("expectimax:2,beam", "beam is 1 to 1000000 moves"),
            ("expectimax:2,beam=0", "beam is 1 to 1000000 moves"),
            ("expectimax:2,probability=2", "probability is 0 to 1"),
            ("expectimax:2,odds=nan", "probability is 0 to 1"),
            ("expectimax:2,downgrade=100", "downgrade is a tile of 8 or more"),
            ("expectimax:2,within=5", "within is 1ms to 3600000ms"),
            ("expectimax:2,within=0ms", "within is 1ms to 3600000ms"),
        ] {
            let error = text.parse::<Search>().unwrap_err().to_string();
            assert_eq!(error, format!("invalid search {text:?}: {rule}"));
        }
        assert_eq!(
            "expectimax:2,colour=1".parse::<Search>().unwrap_err().to_string(),
            "search \"expectimax:2,colour=1\" has the unknown option \"colour=1\": the options are \
             beam=N, probability=P, downgrade=TILE and within=TIMEms"
        );
        let long = "x".repeat(1000).parse::<Search>().unwrap_err().to_string();
        assert!(long.len() < 300, "{long}");
    }
}
