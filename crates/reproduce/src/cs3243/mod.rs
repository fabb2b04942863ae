//! The notes of a course (CS3243) on learning Tetris by lambda-policy iteration, the method of
//! Bertsekas & Ioffe (1996).

pub(crate) mod lambda_pi;
