//! The fingerprint of the games.

use afterstate_engine::fingerprint::{Fnv, fingerprint};

#[test]
fn fnv_is_the_published_one() {
    let mut hash = Fnv::default();
    hash.add(b"foobar");
    assert_eq!(hash.finish(), 0x8594_4171_f739_67e8);
}

/// If this fails, some game plays differently than before: mend it, or raise the game's `VERSION`,
/// run `cargo xtask regenerate` and give the reason in the commit.
#[test]
fn behaviour_is_as_pinned() {
    assert_eq!(format!("{:016x}", fingerprint()), "5d07902dad615730");
}
