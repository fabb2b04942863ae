//! Published Tetris controllers: weights of features, each with its source.

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
}

/// Every published controller. All of them select moves by their features alone, without the
/// reward.
pub const CONTROLLERS: [Controller; 5] = [
    Controller {
        name: "dellacherie",
        set: "dellacherie",
        weights: &[-1.0, 1.0, -1.0, -1.0, -4.0, -1.0],
        source: "Dellacherie 2003, by hand (as in Fahey 2003 and Thiery & Scherrer 2009)",
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
    },
    Controller {
        name: "dt-10",
        set: "dt",
        weights: &[-2.18, 2.42, -2.17, -3.31, 0.95, -2.22, -0.81, -9.65, 1.27],
        source: "Scherrer et al. 2015 (DT-10), policy iteration CBMPI on 10x10",
    },
    Controller {
        name: "dt-20",
        set: "dt",
        weights: &[-2.68, 1.38, -2.41, -6.32, 2.03, -2.71, -0.43, -9.48, 0.89],
        source: "Scherrer et al. 2015 (DT-20), policy iteration CBMPI on 10x20",
    },
    Controller {
        name: "rv-ce",
        set: "dt6",
        weights: &[
            -11.33476, 5.59915, -9.95154, -15.12233, -3.30141, -10.99072, -5.65101, -34.67175,
            5.48431,
        ],
        source: "RV-CE 2026, cross-entropy, 100 candidates for 60 iterations on 10x10",
    },
];

/// The controller with a name.
pub fn find(name: &str) -> Option<&'static Controller> {
    CONTROLLERS.iter().find(|controller| controller.name == name)
}
