//! `agents`: the agents by name, and what trained each.

use afterstate_engine::catalogue::{self, AgentCard, ListedAgent};
use afterstate_games::spec::GameSpec;
use anyhow::bail;

use crate::args::Agents;
use crate::output::{Output, number, print_error};

pub(crate) fn run(args: &Agents, out: &mut Output) -> anyhow::Result<()> {
    match &args.agent {
        Some(agent) => {
            let card = AgentCard::of(agent)?;
            if args.recipe {
                return print_recipe(&card, out);
            }
            Ok(out.object_or_line(&card, || card.to_string())?)
        }
        None => list(out),
    }
}

fn print_recipe(card: &AgentCard, out: &mut Output) -> anyhow::Result<()> {
    match &card.trained {
        Some(trained) if trained.elsewhere().is_none() => Ok(out.line(trained.recipe.trim_end())?),
        Some(_) => bail!("{} has no recipe: it was trained elsewhere", card.listed.agent),
        None => bail!("{} has no recipe: it was not trained", card.listed.agent),
    }
}

fn list(out: &mut Output) -> anyhow::Result<()> {
    let (all, unreadable) = catalogue::list()?;
    unreadable.into_iter().for_each(|error| print_error(&error.into()));
    if out.json() {
        return all.iter().try_for_each(|one| Ok(out.object(one)?));
    }
    let widest = |of: fn(&ListedAgent) -> &str| {
        all.iter().map(|one| of(one).chars().count()).max().unwrap_or(0)
    };
    let (width, rules) = (widest(|one| &one.agent), widest(|one| &one.game));
    for ListedAgent { agent, game, about, mean, trained_by, .. } in &all {
        let mean = mean.map_or_else(String::new, |mean| format!("; mean {}", number(mean)));
        let by = trained_by.map_or_else(String::new, |by| format!("; trained by {by}"));
        out.line(format!("{agent:<width$}  {game:<rules$}  {about}{mean}{by}"))?;
    }
    out.line("\nWhat trained one of them: afterstate agents NAME\n")?;
    for game in GameSpec::ALL.iter().filter(|game| !game.feature_sets.is_empty()) {
        out.line(format!(
            "Feature sets of {}, for linear:SET=W,W,... and linear:reward+SET=W,W,...:",
            game.name
        ))?;
        for (set, about) in game.feature_sets {
            out.line(format!("  {set:<14}{about}"))?;
        }
    }
    Ok(())
}
