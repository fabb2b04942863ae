//! Trainings at the same time: their progress reaches the one observer of an experiment.

use std::io;
use std::sync::mpsc::{Sender, channel};

use afterstate_core::threads;
use afterstate_train::run::{Observer, Status};
use afterstate_train::{Position, Window};

/// What a training tells its observer.
enum Event {
    Begin(String),
    Note(String),
    Round { number: usize, position: Position, fraction: f64, speed: f64, windows: Vec<Window> },
}

/// The observer of one training: sends everything to the thread of the experiment.
struct Relay {
    number: usize,
    events: Sender<Event>,
}

impl Relay {
    fn send(&self, event: Event) -> io::Result<()> {
        // The receiver is gone only if the experiment's observer has failed.
        self.events.send(event).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Observer for Relay {
    fn begin(&mut self, note: &str) -> io::Result<()> {
        self.send(Event::Begin(note.to_owned()))
    }

    fn note(&mut self, note: &str) -> io::Result<()> {
        self.send(Event::Note(note.to_owned()))
    }

    fn round(&mut self, status: &Status) -> io::Result<()> {
        let &Status { position, fraction, moves_per_second: speed, windows } = status;
        let (number, windows) = (self.number, windows.to_vec());
        self.send(Event::Round { number, position, fraction, speed, windows })
    }
}

/// `work` of every number below `count`, on some threads, each with an observer of its own whose
/// calls `observer` receives. If that one fails, the others fail from then on.
pub(crate) fn at_once<R: Send>(
    threads: usize,
    count: usize,
    observer: &mut dyn Observer,
    work: impl Fn(usize, &mut dyn Observer) -> R + Sync,
) -> io::Result<Vec<R>> {
    let (events, received) = channel();
    std::thread::scope(|scope| {
        let work = &work;
        let worker = scope.spawn(move || {
            threads::map(threads, count, |number| {
                work(number, &mut Relay { number, events: events.clone() })
            })
        });
        let mut fractions = vec![0.0; count];
        let shown = received.iter().try_for_each(|event| match event {
            Event::Begin(note) => observer.begin(&note),
            Event::Note(note) => observer.note(&note),
            Event::Round { number, position, fraction, speed, windows } => {
                fractions[number] = fraction;
                let fraction = fractions.iter().sum::<f64>() / count as f64;
                let (moves_per_second, windows) = (speed, &windows[..]);
                observer.round(&Status { position, fraction, moves_per_second, windows })
            }
        });
        drop(received);
        let results = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        shown.map(|()| results)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[derive(Default)]
    struct Seen {
        notes: Vec<String>,
        fractions: Vec<f64>,
        fails: bool,
    }

    impl Observer for Seen {
        fn note(&mut self, note: &str) -> io::Result<()> {
            self.notes.push(note.to_owned());
            if self.fails { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
        }

        fn round(&mut self, status: &Status) -> io::Result<()> {
            self.fractions.push(status.fraction);
            Ok(())
        }
    }

    #[test]
    fn work_is_done_at_the_same_time_and_observed_by_one() {
        // The barrier opens only if both run at once.
        let (barrier, mut seen) = (Barrier::new(2), Seen::default());
        let results = at_once(2, 2, &mut seen, |number, observer| {
            barrier.wait();
            observer.note(&format!("note {number}")).unwrap();
            let position = Position::default();
            let status = Status { position, fraction: 1.0, moves_per_second: 0.0, windows: &[] };
            observer.round(&status).unwrap();
            number
        });
        seen.notes.sort();
        assert_eq!(
            (results.unwrap(), seen.notes),
            (vec![0, 1], vec!["note 0".into(), "note 1".into()])
        );
        // The fraction of all: half when the first is done, all at the end.
        assert_eq!(seen.fractions, [0.5, 1.0]);
    }

    #[test]
    fn an_observer_that_fails_ends_the_work() {
        let mut seen = Seen { fails: true, ..Seen::default() };
        let result = at_once(1, 1, &mut seen, |_, observer| {
            // Ends only because the observer fails.
            while observer.note("still here").is_ok() {
                std::thread::yield_now();
            }
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::Other);
        assert_eq!(seen.notes.len(), 1);
    }
}
