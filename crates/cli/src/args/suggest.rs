//! Values that shells complete: recipes, agents and experiments by name. Other values, such as files,
//! are accepted as before.

use std::ffi::OsStr;

use afterstate_agents::Agent;
use afterstate_agents::controllers::CONTROLLERS;
use afterstate_agents::embedded::EMBEDDED;
use afterstate_engine::catalogue::BUILT_IN;
use afterstate_train::recipes;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParser};
use clap::{Arg, Command, Error};

/// The parser of a value, and the names that a shell offers for it.
#[derive(Clone)]
struct Suggest<P> {
    parser: P,
    names: fn() -> Vec<&'static str>,
}

impl<P: TypedValueParser> TypedValueParser for Suggest<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<P::Value, Error> {
        self.parser.parse_ref(command, argument, value)
    }

    /// Only for completion: arguments hide them in their help, and `parse_ref` accepts others.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}

pub(super) fn recipe() -> ValueParser {
    let names = || recipes::BUILT_IN.iter().map(|recipe| recipe.0).collect();
    ValueParser::new(Suggest { parser: StringValueParser::new(), names })
}

pub(super) fn experiment() -> ValueParser {
    let names = || afterstate_reproduce::experiments().map(|experiment| experiment.name).collect();
    ValueParser::new(Suggest { parser: StringValueParser::new(), names })
}

pub(super) fn agent() -> ValueParser {
    let names = || {
        let built_in = BUILT_IN.iter().map(|one| one.0);
        let published = CONTROLLERS.iter().map(|one| one.name);
        built_in.chain(published).chain(EMBEDDED.iter().map(|one| one.name)).collect()
    };
    let parse = |name: String| name.parse::<Agent>();
    ValueParser::new(Suggest { parser: StringValueParser::new().try_map(parse), names })
}
