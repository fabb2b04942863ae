//! The reference implementation of every feature: loops over cells.

use super::super::Setup;
use super::super::reference::{Grid, cells};
use crate::shape::Shape;

/// A drop: the well before it, the shape and its left edge, and the well after it.
pub(super) struct Drop<'a> {
    pub(super) setup: &'a Setup,
    pub(super) before: &'a Grid,
    pub(super) shape: &'a Shape,
    pub(super) left: usize,
    pub(super) after: &'a Grid,
}

impl Drop<'_> {
    /// Every feature of a set.
    pub(super) fn describe(&self, set: &str) -> Vec<f64> {
        match set {
            "dt" => self.dt(Drop::wells_from_top),
            "dt6" => self.dt(Drop::wells_of_each_cell),
            "dellacherie" => self.dt(Drop::wells_of_each_cell)[..6].to_vec(),
            "bertsekas" => self.bertsekas(),
            "cs3243" => [self.bertsekas(), self.marchal()].concat(),
            other => panic!("no reference implementation of {other}"),
        }
    }

    /// A cell after the drop; walls and floor are full, cells above the top are empty.
    fn full(&self, row: i32, column: i32) -> bool {
        let outside = row < 0 || column < 0 || column >= self.setup.width as i32;
        outside || (row < self.setup.height as i32 && self.after[row as usize][column as usize])
    }

    fn rows(&self) -> impl DoubleEndedIterator<Item = i32> + Clone + use<> {
        0..self.setup.height as i32
    }

    fn columns(&self) -> impl DoubleEndedIterator<Item = i32> + Clone + use<> {
        0..self.setup.width as i32
    }

    fn count(&self, is: impl Fn(i32, i32) -> bool) -> f64 {
        self.rows().map(|r| self.columns().filter(|&c| is(r, c)).count()).sum::<usize>() as f64
    }

    fn height(&self, column: i32) -> i32 {
        self.rows().rev().find(|&row| self.full(row, column)).map_or(0, |row| row + 1)
    }

    fn is_hole(&self, row: i32, column: i32) -> bool {
        !self.full(row, column) && self.rows().any(|above| above > row && self.full(above, column))
    }

    fn heights(&self) -> Vec<f64> {
        self.columns().map(|column| f64::from(self.height(column))).collect()
    }

    fn bertsekas(&self) -> Vec<f64> {
        let heights = self.heights();
        let mut features = vec![1.0];
        features.extend(&heights);
        features.extend(heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()));
        features.push(heights.iter().copied().fold(0.0, f64::max));
        features.push(self.count(|r, c| self.is_hole(r, c)));
        features
    }

    fn marchal(&self) -> Vec<f64> {
        let heights = self.heights();
        let (low, high) = (heights.iter().copied(), heights.iter().copied());
        let range = high.fold(0.0, f64::max) - low.fold(f64::MAX, f64::min);
        vec![heights.iter().sum(), range, self.hole_groups(), self.above_lowest(Drop::is_hole)]
    }

    /// The number of groups of holes, by flood fill.
    fn hole_groups(&self) -> f64 {
        let mut left: Vec<(i32, i32)> = Vec::new();
        for row in self.rows() {
            left.extend(self.columns().map(|c| (row, c)).filter(|&(r, c)| self.is_hole(r, c)));
        }
        let mut groups = 0.0;
        while let Some(first) = left.pop() {
            groups += 1.0;
            let mut reached = vec![first];
            while let Some((row, column)) = reached.pop() {
                let beside =
                    |cell: &(i32, i32)| (cell.0 - row).abs() + (cell.1 - column).abs() == 1;
                reached.extend(left.iter().copied().filter(beside));
                left.retain(|cell| !beside(cell));
            }
        }
        groups
    }

    /// Full cells above the lowest cell of each column that satisfies a predicate.
    fn above_lowest(&self, is: impl Fn(&Self, i32, i32) -> bool) -> f64 {
        let above = |column: i32| {
            let lowest = self.rows().find(|&row| is(self, row, column));
            let lowest = lowest.unwrap_or(self.setup.height as i32);
            self.rows().filter(|&row| row > lowest && self.full(row, column)).count()
        };
        self.columns().map(above).sum::<usize>() as f64
    }

    fn dt(&self, wells: fn(&Self, i32) -> f64) -> Vec<f64> {
        let (landing, eroded) = self.landing_and_eroded();
        // A transition is counted at the right or upper cell.
        let row_changes = self.rows().map(|r| {
            let to_the_wall = 0..=self.setup.width as i32;
            to_the_wall.filter(|&c| self.full(r, c) != self.full(r, c - 1)).count() as f64
        });
        let column_changes = self.columns().map(|c| {
            let to_the_top = 0..=self.setup.height as i32;
            to_the_top.filter(|&r| self.full(r, c) != self.full(r - 1, c)).count() as f64
        });
        let with_holes = self.rows().filter(|&r| self.columns().any(|c| self.is_hole(r, c)));
        let steps: Vec<f64> = self.heights().windows(2).map(|pair| pair[1] - pair[0]).collect();
        let diversity = [-2.0, -1.0, 0.0, 1.0, 2.0].iter().filter(|step| steps.contains(step));
        vec![
            landing,
            eroded,
            row_changes.sum(),
            column_changes.sum(),
            self.count(|r, c| self.is_hole(r, c)),
            self.columns().map(|column| wells(self, column)).sum(),
            self.above_lowest(|drop, r, c| !drop.full(r, c)),
            with_holes.count() as f64,
            diversity.count() as f64,
        ]
    }

    fn landing_and_eroded(&self) -> (f64, f64) {
        let mut grid = self.before.clone();
        grid.resize(self.setup.height + 12, vec![false; self.setup.width]);
        let at = |floor: usize| cells(self.shape, floor, self.left);
        let mut floor = self.setup.height;
        while floor > 0 && at(floor - 1).iter().all(|&(r, c)| !grid[r][c]) {
            floor -= 1;
        }
        for (r, c) in at(floor) {
            grid[r][c] = true;
        }
        let is_full = |row: usize| grid[row].iter().all(|&cell| cell);
        let own = at(floor).iter().filter(|&&(row, _)| is_full(row)).count() as f64;
        let lines = (0..grid.len()).filter(|&row| is_full(row)).count() as f64;
        (floor as f64 + (self.shape.height() as f64 - 1.0) / 2.0, lines * own)
    }

    fn is_well_cell(&self, row: i32, column: i32) -> bool {
        !self.full(row, column) && self.full(row, column - 1) && self.full(row, column + 1)
    }

    fn wells_of_each_cell(&self, column: i32) -> f64 {
        let depth = |row: i32| (0..=row).rev().take_while(|&r| !self.full(r, column)).count();
        let cells = self.rows().filter(|&row| self.is_well_cell(row, column));
        cells.map(depth).sum::<usize>() as f64
    }

    fn wells_from_top(&self, column: i32) -> f64 {
        let (mut sum, mut depth) = (0, 0);
        for row in self.rows().rev() {
            if self.full(row, column) {
                depth = 0;
            } else if depth > 0 || self.is_well_cell(row, column) {
                depth += 1;
                sum += depth;
            }
        }
        f64::from(sum)
    }
}
