//! Marchal, Vandenberghe, Lou, Ooi, Fong, "CS3243, Group 23" (report of a course): Tetris by
//! annealed weights, searched by minimax.

pub(crate) mod figure4;
