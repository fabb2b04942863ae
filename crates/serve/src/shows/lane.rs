//! `Lane`: one board of a show, played on a thread of its own until nobody watches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use afterstate_games::spec::GameSpec;
use afterstate_lab::sitting::{GameSession, LoadedAgent, Standing, Tally, View};
use afterstate_search::Search;
use serde::Serialize;

use super::Show;
use crate::failure::Failure;
use crate::shelf::locked;

/// One board of a show.
pub(super) struct Lane {
    latest: Arc<Mutex<Option<News>>>,
}

/// What is new on a board.
#[derive(Serialize)]
pub(super) struct News {
    lane: usize,
    /// Which game it is, from 1.
    number: u64,
    view: View,
    standing: Standing,
    moves_per_second: f64,
}

/// How long the end of a game is shown, where moves can be followed.
const END: Duration = Duration::from_millis(900);

/// The slowest pace at which nobody can follow single moves.
const BLUR: f64 = 25.0;

/// How long a thread sleeps or plays before it looks at the pace again.
const LOOK: Duration = Duration::from_millis(20);

impl Lane {
    pub(super) fn start(
        number: usize,
        show: &Arc<Show>,
        rules: &GameSpec,
        agent: LoadedAgent,
        search: Search,
        stop: &Arc<AtomicBool>,
    ) -> Result<Lane, Failure> {
        let latest = Arc::new(Mutex::new(None));
        let seat = Seat {
            lane: number,
            show: Arc::clone(show),
            rules: rules.clone(),
            agent,
            search,
            stop: Arc::clone(stop),
            latest: Arc::clone(&latest),
        };
        let thread = thread::Builder::new().name(format!("lane {number}"));
        thread.spawn(move || seat.play()).map_err(Failure::broken)?;
        Ok(Lane { latest })
    }

    /// What has happened since it was last asked for.
    pub(super) fn news(&mut self) -> Option<News> {
        locked(&self.latest).take()
    }
}

/// What the thread of a lane has.
struct Seat {
    lane: usize,
    show: Arc<Show>,
    rules: GameSpec,
    agent: LoadedAgent,
    search: Search,
    stop: Arc<AtomicBool>,
    latest: Arc<Mutex<Option<News>>>,
}

impl Seat {
    fn play(self) {
        let (mut tally, mut number) = (Tally::default(), 0);
        while !self.stopped() {
            let seed = self.show.seed.wrapping_add(number);
            number += 1;
            let mut sitting = GameSession::new(&self.rules, seed);
            self.tell(number, &sitting, &tally, 0.0);
            if !self.one(number, &mut sitting, &tally) {
                return;
            }
            tally.count(&sitting);
            self.tell(number, &sitting, &tally, 0.0);
            if self.show.pace() <= BLUR {
                self.rest(END);
            }
        }
    }

    /// Plays a game to its end; false if nobody watches any more.
    fn one(&self, number: u64, sitting: &mut GameSession, tally: &Tally) -> bool {
        while !sitting.over() {
            if self.stopped() {
                return false;
            }
            let (clock, pace, before) = (Instant::now(), self.show.pace(), sitting.moves());
            if pace <= 0.0 {
                self.rest(LOOK);
                continue;
            }
            let turn = Duration::from_secs_f64(1.0 / pace.clamp(1e-3, BLUR));
            let most = (pace / BLUR).clamp(1.0, 1e6) as u64;
            while sitting.moves() - before < most && !(pace > BLUR && clock.elapsed() >= LOOK) {
                let left = (most - (sitting.moves() - before)).min(16);
                match sitting.play_by(&self.agent, &self.search, left) {
                    Ok(made) if made == left => {}
                    _ => break,
                }
            }
            if pace.is_finite() {
                self.rest(turn.saturating_sub(clock.elapsed()));
            }
            let speed = (sitting.moves() - before) as f64 / clock.elapsed().as_secs_f64();
            self.tell(number, sitting, tally, speed);
        }
        true
    }

    /// Leaves word of a board for whoever watches, if they have taken the last one.
    fn tell(&self, number: u64, sitting: &GameSession, tally: &Tally, moves_per_second: f64) {
        let mut latest = locked(&self.latest);
        if latest.is_some() && self.show.pace() > BLUR {
            return;
        }
        let (view, standing) = (sitting.glance(), tally.standing());
        *latest = Some(News { lane: self.lane, number, view, standing, moves_per_second });
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sleeps in short pieces, so that it wakes when nobody watches or the pace changes.
    fn rest(&self, time: Duration) {
        let (clock, pace) = (Instant::now(), self.show.pace());
        while clock.elapsed() < time && !self.stopped() && self.show.pace() == pace {
            thread::sleep(LOOK.min(time.saturating_sub(clock.elapsed())));
        }
    }
}
