//! Szita & Lőrincz, "Learning Tetris Using the Noisy Cross-Entropy Method" (2006).

pub(crate) mod noise;
