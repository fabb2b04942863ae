//! 2048, Tetris and 1010!: boards, rules and text forms, with every variant as a rules value.

pub mod pieces;
pub mod shape;
