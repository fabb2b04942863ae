//! The energy that work takes, by the counters of the machine.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::Work;

/// Energy in joules since some time in the past; `None` where nothing counts it.
pub(super) type Counter = Box<dyn Fn() -> Option<f64>>;

/// Where Linux has the counters of Intel and AMD processors (RAPL), which root may read.
const POWERCAP: &str = "/sys/class/powercap";

/// The shortest time over which energy is measured: counters are renewed some ten times a second.
pub(super) const MIN_SECONDS: f64 = 1.0;

/// The joules of a million units of work over some time; `None` without a counter, or if there is no
/// time.
pub(super) fn per_million(work: &mut Work, counter: &Counter, seconds: f64) -> Option<f64> {
    if seconds <= 0.0 {
        return None;
    }
    let before = counter()?;
    let (clock, mut done) = (Instant::now(), 0);
    loop {
        done += work();
        if clock.elapsed().as_secs_f64() >= seconds {
            break;
        }
    }
    // A counter of a processor that began anew tells nothing.
    let joules = counter().map(|after| after - before).filter(|joules| *joules >= 0.0)?;
    (done > 0).then(|| joules / done as f64 * 1e6)
}

/// The counter of all processors of the machine.
pub(super) fn of_processors() -> Counter {
    Box::new(|| sum_of_packages(Path::new(POWERCAP)))
}

/// The sum of the counters of all packages: `intel-rapl:0`, but not its parts, `intel-rapl:0:0`.
fn sum_of_packages(folder: &Path) -> Option<f64> {
    let mut sum = None;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let package = name.strip_prefix("intel-rapl:").unwrap_or(":");
        if package.contains(':') {
            continue;
        }
        let text = fs::read_to_string(entry.path().join("energy_uj")).ok()?;
        *sum.get_or_insert(0.0) += text.trim().parse::<f64>().ok()? / 1e6;
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn packages_are_summed_without_their_parts() {
        let folder = std::env::temp_dir().join(format!("powercap-{}", std::process::id()));
        let add = |name: &str, text: &str| {
            fs::create_dir_all(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("energy_uj"), text).unwrap();
        };
        assert_eq!(sum_of_packages(&folder), None);
        fs::create_dir_all(folder.join("intel-rapl")).unwrap();
        assert_eq!(sum_of_packages(&folder), None);
        add("intel-rapl:0", "2500000\n");
        add("intel-rapl:0:0", "9000000\n");
        add("intel-rapl:1", "500000\n");
        assert_eq!(sum_of_packages(&folder), Some(3.0));
        add("intel-rapl:1", "unreadable");
        assert_eq!(sum_of_packages(&folder), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn joules_are_those_of_the_work_done() {
        let done = Rc::new(Cell::new(0u64));
        let counted = done.clone();
        let mut work: Work = Box::new(move || {
            counted.set(counted.get() + 500);
            500
        });
        // Two joules for each unit, on top of what the counter had before.
        let counter: Counter = Box::new(move || Some(70.0 + 2.0 * done.get() as f64));
        let joules = per_million(&mut work, &counter, 1e-9).unwrap();
        assert!((joules - 2e6).abs() < 1e-3, "{joules}");
        assert_eq!(per_million(&mut work, &(Box::new(|| None) as Counter), 1.0), None);
        assert_eq!(per_million(&mut work, &counter, 0.0), None);
    }
}
