//! Tetris controllers of others: weights of features, each with its source.

/// A published set of weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controller {
    /// Its name as an agent.
    pub name: &'static str,
    /// The feature set.
    pub set: &'static str,
    /// One weight per feature, in the order of the set.
    pub weights: &'static [f32],
    /// The publication, and the method that found the weights.
    pub source: &'static str,
    /// Who found them.
    pub by: &'static str,
    /// Where they were found, if not in the publication.
    pub origin: Option<&'static str>,
}

/// Who found most of them.
const AUTHORS: &str = "its authors";

/// Every published controller. All of them select moves by their features alone, without the
/// reward.
pub const CONTROLLERS: [Controller; 6] = [
    Controller {
        name: "dellacherie",
        set: "dellacherie",
        weights: &[-1.0, 1.0, -1.0, -1.0, -4.0, -1.0],
        source: "Dellacherie 2003, by hand (as in Fahey 2003 and Thiery & Scherrer 2009)",
        by: "its author",
        origin: None,
    },
    Controller {
        name: "bcts",
        set: "dt",
        // Without row diversity, a feature that was published later.
        weights: &[
            -12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087,
            0.0,
        ],
        source: "Thiery & Scherrer 2009 (BCTS), cross-entropy",
        by: AUTHORS,
        origin: None,
    },
    Controller {
        name: "dt-10",
        set: "dt",
        weights: &[-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65, 1.27],
        source: "Scherrer et al. 2015 (DT-10), policy iteration CBMPI on 10x10",
        by: AUTHORS,
        origin: None,
    },
    Controller {
        name: "dt-20",
        set: "dt",
        weights: &[-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48, 0.89],
        source: "Scherrer et al. 2015 (DT-20), policy iteration CBMPI on 10x20",
        by: AUTHORS,
        origin: None,
    },
    Controller {
        name: "marchal",
        set: "cs3243",
        // BEST_WEIGHTS_FINAL of the authors' program. Its last feature, squares above holes, always
        // reads 0 there: groups of holes are counted first, on the same board, and fill the holes.
        weights: &[
            -9.854448,
            2.4389153,
            -2.333226,
            0.36771116,
            -0.52315074,
            -1.3534356,
            0.024638796,
            0.27249014,
            -0.54726523,
            -1.4634881,
            2.3102803,
            -3.7318974,
            -2.8147786,
            -3.0926073,
            -2.84025,
            -3.6721375,
            -2.2535586,
            -2.2111578,
            -2.9119258,
            -3.4484754,
            -3.2507586,
            -7.856307,
            -0.047947817,
            1.5860023,
            -8.207972,
            0.0,
        ],
        source: "Marchal et al. (CS3243, group 23), annealing on 10x20 (their program's weights)",
        by: AUTHORS,
        origin: Some(
            "BEST_WEIGHTS_FINAL in src/PlayerSkeleton.java of github.com/nmarchal/AI-tetris-player, commit \
             c1acb633; the weight of squares above holes is 0 here, since that feature always reads 0 there",
        ),
    },
    Controller {
        name: "rv-ce",
        set: "dt6",
        weights: &[
            -11.33476, 5.59915, -9.95154, -15.12233, -3.30141, -10.99072, -5.65101, -34.67175,
            5.48431,
        ],
        source: "RV-CE 2026, cross-entropy, 100 candidates for 60 iterations on 10x10",
        by: AUTHORS,
        origin: Some("weights given to this project; no publication known"),
    },
];

/// The controller with a name.
pub fn find(name: &str) -> Option<&'static Controller> {
    CONTROLLERS.iter().find(|controller| controller.name == name)
}
