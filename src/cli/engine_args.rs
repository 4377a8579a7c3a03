//! The options that choose an engine and set its parameters. A parameter that the engine does not use
//! is refused, so that every option given has an effect.

use super::settings::{self, Answer, Setting};
use ccsched_base::{Error, Result};
use ccsched_engines::Engine;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgMatches, Command};

/// The engine.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// The engine; auto chooses the best method for the problem
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engines())]
    pub engine: Engine,
    /// Parameters of engines: hgsa:hot=0.3,cold=0.1; may be repeated
    #[arg(long, value_name = "ENGINE:NAME=VALUE,..", value_parser = Answer("help", settings::list),
          long_help = set_help())]
    pub set: Vec<String>,
    /// The options that --set has replaced.
    #[command(flatten)]
    pub replaced: Replaced,
}

/// The engines by name.
fn engines() -> impl TypedValueParser<Value = Engine> {
    let value = |engine: Engine| PossibleValue::new(engine.name()).help(engine.help());
    PossibleValuesParser::new(Engine::all().into_iter().map(value))
        .try_map(|name| settings::named(&name))
}

/// What `--help` says about parameters.
fn set_help() -> String {
    format!(
        "Parameters of engines: hgsa:hot=0.3,cold=0.1,umda:population=90; an engine stays until the \
         next. May be repeated; `--set help` prints this list:\n\n{}",
        settings::list()
    )
}

/// The options that `--set` has replaced. They still work, hidden, until the release after 0.3.
#[derive(Clone, Debug, Default)]
pub struct Replaced(Vec<(&'static str, String)>);

/// Their names, which are those of the parameters but for one.
const REPLACED: [&str; 21] = [
    "exchange",
    "symmetry",
    "neighbourhood",
    "hot",
    "cold",
    "round",
    "ladder",
    "restart",
    "shortening",
    "eject",
    "swaps",
    "child-mutation",
    "mutated-share",
    "longest",
    "radius",
    "population",
    "mutation",
    "mutated-genes",
    UMDA_RADIUS,
    "injected",
    "restart-after",
];
const UMDA_RADIUS: &str = "umda-radius";

impl clap::Args for Replaced {
    fn augment_args(command: Command) -> Command {
        let hidden = |name: &'static str| Arg::new(name).long(name).hide(true);
        REPLACED.into_iter().map(hidden).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for Replaced {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name| Some((name, matches.get_one::<String>(name)?.clone()));
        Ok(Replaced(REPLACED.into_iter().filter_map(given).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl EngineArgs {
    /// The engine with its parameters.
    ///
    /// # Errors
    /// Unknown parameters, parameters of another engine, wrong values, parameters that contradict each
    /// other.
    pub fn engine(&self) -> Result<Engine> {
        let name = self.engine.name();
        let wrong = |of: &str, why: String| Error::problem(format!("{of}: {why}"));
        let mut given = Vec::new();
        for text in &self.set {
            let read = settings::read(text, None).map_err(|why| wrong("--set", why))?;
            given.extend(read.into_iter().map(|s| (format!("--set {}:{}", s.engine, s.name), s)));
        }
        for (flag, value) in &self.replaced.0 {
            let (parameter, engine) = replaced_by(flag, self.engine);
            let setting = Setting { engine, name: parameter.into(), value: value.clone() };
            given.push((format!("--{flag}"), setting));
        }
        // All are checked, whatever engine runs.
        let mut result = self.engine;
        for engine in Engine::all() {
            let own: Vec<&Setting> =
                given.iter().map(|(_, s)| s).filter(|s| s.engine == engine.name()).collect();
            let set = settings::apply(engine, &own).map_err(|(parameter, why)| {
                let mut places = given.iter().rev();
                let place = places.find(|(_, s)| s.engine == engine.name() && s.name == parameter);
                wrong(place.map_or("--set", |(place, _)| place), why)
            })?;
            if engine.name() == name {
                result = set;
            }
        }
        let vain: Vec<_> = given.iter().filter(|(_, s)| s.engine != name).collect();
        let is_refused = |place: &str| vain.len() == given.len() || !place.starts_with("--set");
        if let Some((place, s)) = vain.iter().find(|(place, _)| is_refused(place)) {
            let why = format!("{name} does not use it; --engine {} does", s.engine);
            return Err(wrong(place, why));
        }
        if !vain.is_empty() {
            let places: Vec<&str> = vain.iter().map(|(place, _)| &**place).collect();
            log::warn!("{}: no effect, because --engine {name} runs", places.join(", "));
        }
        Ok(result)
    }
}

/// The parameter that an option was replaced by, and its engine: the one that runs, if it has it.
fn replaced_by(flag: &str, engine: Engine) -> (&str, &'static str) {
    if flag == UMDA_RADIUS {
        return ("radius", "umda");
    }
    let has = |engine: &Engine| engine.described().iter().any(|row| row.name == flag);
    // The radius of UMDA had a name of its own.
    let runs = Some(engine).filter(|engine| has(engine) && engine.name() != "umda");
    let runs = runs.or_else(|| Engine::all().into_iter().find(has));
    (flag, runs.map_or("hgsa", |engine| engine.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ccsched_engines::{hgsa, umda};
    use ccsched_model::problem::{Collective, Request};
    use ccsched_network::spec;
    use clap::Parser;

    #[derive(Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        engine: EngineArgs,
    }

    fn engine(words: &str) -> Result<Engine> {
        Line::try_parse_from(words.split_whitespace()).unwrap().engine.engine()
    }

    /// The defaults in the help are those of the library.
    #[test]
    fn defaults_are_as_the_help_says() {
        let hgsa = hgsa::Params::default();
        let paper = hgsa::Params::new(hgsa::Neighbourhood::Paper);
        for (collective, ends, focused, restart) in [
            (Collective::Aas, (0.2, 0.1), 100, hgsa::Restart::Kept),
            (Collective::Oab, (0.4, 0.15), 20, hgsa::Restart::Fresh),
            (Collective::Aab, (0.8, 0.3), 20, hgsa::Restart::Fresh),
        ] {
            let network = spec::parse("ring:4").unwrap();
            let problem = Request::new(collective).pose(network, vec![]).unwrap();
            let (cooling, of_paper) = (hgsa.cooling(&problem), paper.cooling(&problem));
            assert_eq!(((cooling.hot, cooling.cold), cooling.first_round), (ends, focused));
            assert_eq!((of_paper.hot, of_paper.cold, of_paper.first_round), (0.8, 0.12, 500));
            assert_eq!(hgsa.ejects(&problem), collective == Collective::Aas);
            assert!(!paper.ejects(&problem));
            assert_eq!(hgsa.restart(&problem), restart);
        }
        assert_eq!((hgsa.swap_share, hgsa.radius, hgsa.most_longest), (0.0, 1, 16));
        assert_eq!((hgsa.child_mutation, hgsa.mutated_share), (0.5, 0.01));
        assert_eq!((hgsa.ladder, hgsa.shortening), (true, hgsa::Shortening::Always));
        let umda = umda::Params::default();
        assert_eq!((umda.population, umda.mutation, umda.injected), (60, 0.9, 0.05));
        assert_eq!(engine("").unwrap(), Engine::default());
        assert_eq!(engine("--engine hgsa").unwrap(), Engine::from(hgsa));
        assert_eq!(engine("--engine umda").unwrap(), Engine::from(umda));
    }

    fn refused(words: &str, what: &str) {
        let why = engine(words).unwrap_err().to_string();
        assert!(why.starts_with(what), "{words}: {why}");
    }

    #[test]
    fn parameters_are_set_by_name() {
        let words = "--engine hgsa --set hgsa:hot=0.3,neighbourhood=paper --set hgsa:swaps=0.5";
        let moves = hgsa::Params::new(hgsa::Neighbourhood::Paper);
        let params = hgsa::Params { hot: Some(0.3), swap_share: 0.5, ..moves };
        assert_eq!(engine(words).unwrap(), params.into());
        // What is for another engine is checked, too.
        let both = engine("--engine umda --set hgsa:hot=0.3,umda:population=90").unwrap();
        let population = umda::Params { population: 90, ..umda::Params::default() };
        assert_eq!(both, Engine::from(population));
        for (words, what) in [
            ("--set hgsa:hot=0.3", "--set hgsa:hot: auto does not use it; --engine hgsa does"),
            ("--set umda:population=7,auto:symmetry=false", "--set umda:population: '7' is not an"),
            ("--set auto:hot=1", "--set auto:hot: auto has no parameter 'hot'; it has symmetry"),
            ("--set liquid:hot=1", "--set liquid:hot: liquid has no parameters"),
            ("--set hot=1", "--set: 'hot=1' names no engine"),
            ("--engine hgsa --set hgsa:hot=1 --set hgsa:hot=2", "--set hgsa:hot: it is set twice"),
            (
                "--engine hgsa --set hgsa:neighbourhood=new",
                "--set hgsa:neighbourhood: 'new' is not focused or paper",
            ),
            ("--engine hgsa --set hgsa:hot=0.5,cold=2", "--set hgsa:cold: 2 is above"),
        ] {
            refused(words, what);
        }
    }

    #[test]
    fn replaced_options_mean_what_they_meant() {
        for (old, new) in [
            ("--symmetry false", "--set auto:symmetry=false"),
            ("--engine hgsa --exchange false", "--engine hgsa --set hgsa:exchange=false"),
            ("--engine hgsa --radius 3", "--engine hgsa --set hgsa:radius=3"),
            ("--engine umda --umda-radius 3", "--engine umda --set umda:radius=3"),
            (
                "--engine hgsa --neighbourhood paper --hot 2 --round 9",
                "--engine hgsa --set hgsa:round=9,hot=2,neighbourhood=paper",
            ),
        ] {
            assert_eq!(engine(old).unwrap(), engine(new).unwrap(), "{old}");
        }
        for (words, what) in [
            ("--hot 5", "--hot: auto does not use it; --engine hgsa does"),
            ("--exchange true", "--exchange: auto does not use it; --engine hgsa does"),
            ("--hot 0.5 --set auto:symmetry=false", "--hot: auto does not use it"),
            ("--engine umda --exchange true", "--exchange: umda does not use it"),
            ("--engine umda --radius 2", "--radius: umda does not use it; --engine hgsa"),
            ("--engine hgsa --population 20", "--population: hgsa does not use it"),
            ("--engine hgsa --symmetry false", "--symmetry: hgsa does not use it"),
            (
                "--engine hgsa --neighbourhood paper --eject false",
                "--eject: hgsa with neighbourhood paper",
            ),
            ("--engine hgsa --eject true --swaps 0.1", "--swaps: 0.1 of the moves"),
            ("--engine liquid --symmetry false", "--symmetry: liquid does not use it"),
            ("--neighbourhood paper", "--neighbourhood: auto does not use it"),
            ("--engine hgsa --hot 1 --set hgsa:hot=2", "--hot: it is set twice"),
        ] {
            refused(words, what);
        }
    }
}
