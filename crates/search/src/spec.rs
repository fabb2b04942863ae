//! `Search`: what a search shall do, in one syntax everywhere, such as `expectimax:3`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The deepest search that may be asked for.
pub(crate) const MAX_PLIES: u32 = 64;

/// How the moves of a state are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Chance deals by its odds: the mean over all deals.
    Expectimax,
    /// Chance deals the worst: the least over all deals, by alpha-beta.
    Minimax,
    /// The same by plain minimax, which looks at everything: the slow twin of alpha-beta.
    ReferenceMinimax,
}

/// How deep a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// So many plies: 1 weighs the moves by what they leave, 2 looks at every deal and reply.
    Plies(u32),
    /// Ever deeper until the time is over.
    Time(Duration),
    /// As many plies as moves are known: the hand of 1010!, the piece and the next one in Tetris.
    Known,
}

/// What a search shall do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How moves are weighed.
    pub method: Algorithm,
    /// How deep.
    pub depth: Depth,
    /// Only so many of the best moves of a state are followed (of the first state all of them, where
    /// all are to be ranked). Without it all of them, but in a search of what is known that would
    /// be too wide.
    pub beam: Option<usize>,
    /// Deals on lines that are less likely than this are not followed further (0: all are).
    pub min_probability: f64,
    /// Boards with a value of this or more are downgraded first (2048).
    pub downgrade: Option<u64>,
    /// However deep it should go, it ends after this: ever deeper, until the depth or the time is
    /// reached.
    pub within: Option<Duration>,
}

/// A text that names no search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("met search {met:?}, expected {expected}")]
pub struct SearchError {
    met: String,
    expected: &'static str,
}

const FORMS: &str = "greedy, expectimax:PLIES, expectimax:TIMEms, expectimax:hand or minimax:PLIES, \
    then ,beam=N ,odds=P ,downgrade=TILE or ,within=TIMEms";

impl Search {
    /// One ply.
    pub const GREEDY: Search = Search::expectimax(1);

    /// Expectimax of so many plies.
    pub const fn expectimax(plies: u32) -> Search {
        Search::new(Algorithm::Expectimax, Depth::Plies(plies))
    }

    /// Minimax of so many plies.
    pub const fn minimax(plies: u32) -> Search {
        Search::new(Algorithm::Minimax, Depth::Plies(plies))
    }

    /// A search that leaves nothing out.
    pub const fn new(method: Algorithm, depth: Depth) -> Search {
        Search { method, depth, beam: None, min_probability: 0.0, downgrade: None, within: None }
    }

    /// Whether this is plain greedy play.
    pub fn is_greedy(&self) -> bool {
        self.depth == Depth::Plies(1) && self.downgrade.is_none()
    }
}

impl FromStr for Search {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Search, SearchError> {
        let error = |expected| {
            let met = text.chars().take(60).collect();
            SearchError { met, expected }
        };
        let mut parts = text.trim().split(',');
        let first = parts.next().unwrap_or_default();
        let (name, depth) = first.split_once(':').unwrap_or((first, ""));
        let method = match name {
            "greedy" | "expectimax" => Algorithm::Expectimax,
            "minimax" => Algorithm::Minimax,
            "plain-minimax" => Algorithm::ReferenceMinimax,
            _ => return Err(error(FORMS)),
        };
        let depth = match (name, depth) {
            ("greedy", "") => Depth::Plies(1),
            ("greedy", _) | (_, "") => return Err(error(FORMS)),
            (_, "hand") => Depth::Known,
            (_, depth) => parse_depth(depth)
                .ok_or_else(|| error("1 to 64 plies, 1ms to 3600000ms, or hand"))?,
        };
        let mut search = Search::new(method, depth);
        for part in parts {
            let (key, value) = part.split_once('=').ok_or_else(|| error(FORMS))?;
            match key {
                "beam" => {
                    let beam = value.parse().ok().filter(|beam| (1..=1_000_000).contains(beam));
                    search.beam = Some(beam.ok_or_else(|| error("beam=N, 1 to 1000000 moves"))?);
                }
                "odds" => {
                    let odds = value.parse().ok().filter(|odds| (0.0..=1.0).contains(odds));
                    search.min_probability = odds.ok_or_else(|| error("odds=P, from 0 to 1"))?;
                }
                "downgrade" => {
                    let tile = value.parse().ok().filter(|tile: &u64| *tile >= 8);
                    let tile = tile.filter(|tile| tile.is_power_of_two());
                    search.downgrade =
                        Some(tile.ok_or_else(|| error("downgrade=TILE, a tile of 8 or more"))?);
                }
                "within" => match parse_depth(value) {
                    Some(Depth::Time(time)) => search.within = Some(time),
                    _ => return Err(error("within=TIMEms, 1ms to 3600000ms")),
                },
                _ => return Err(error(FORMS)),
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
        match (self.method, self.depth) {
            (Algorithm::Expectimax, Depth::Plies(1)) => f.write_str("greedy")?,
            (method, depth) => {
                f.write_str(match method {
                    Algorithm::Expectimax => "expectimax:",
                    Algorithm::Minimax => "minimax:",
                    Algorithm::ReferenceMinimax => "plain-minimax:",
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
            write!(f, ",odds={}", self.min_probability)?;
        }
        if let Some(tile) = self.downgrade {
            write!(f, ",downgrade={tile}")?;
        }
        match self.within {
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
            "plain-minimax:2",
            "expectimax:4,odds=0.001,downgrade=16384",
            "minimax:3,within=2000ms",
        ] {
            assert_eq!(text.parse::<Search>().unwrap().to_string(), text);
        }
        assert_eq!("expectimax:1".parse::<Search>().unwrap(), Search::GREEDY);
        assert_eq!("minimax:2".parse::<Search>().unwrap(), Search::minimax(2));
    }

    #[test]
    fn what_is_no_search_is_refused_in_words() {
        for text in [
            "",
            "greedy:2",
            "expectimax",
            "expectimax:",
            "expectimax:0",
            "expectimax:65",
            "expectimax:-1",
            "expectimax:+3",
            "expectimax:0ms",
            "expectimax:1.5",
            "max:2",
            "expectimax:99999999999999999999",
            "expectimax:2,beam",
            "expectimax:2,beam=0",
            "expectimax:2,odds=2",
            "expectimax:2,odds=nan",
            "expectimax:2,downgrade=100",
            "expectimax:2,colour=1",
            "expectimax:2,within=5",
            "expectimax:2,within=0ms",
        ] {
            let error = text.parse::<Search>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("met search {text:?}, expected ")), "{error}");
        }
    }
}
