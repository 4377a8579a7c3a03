//! What `-h` prints: the problem, the limits, the output and five examples on one screen. `--help` has
//! all options.

/// The screen of `ccsched solve`.
pub fn solve() -> String {
    screen("ccsched solve", "ccsched solve")
}

/// The screen of `ccsched-mpi`.
pub fn ranked() -> String {
    screen("mpirun -n RANKS ccsched-mpi", "mpirun -n 8 ccsched-mpi")
}

/// At most 24 lines of 86 columns.
fn screen(usage: &str, run: &str) -> String {
    format!(
        "\
Design a conflict-free schedule of a collective communication on a network

Usage: {usage} [OPTIONS]     (--help lists all options)

Problem:
  -t, --topology NET     A family, such as mesh:8x8, or a file [default: kautz:3,2]
  -c, --collective NAME  aas (alltoall), aab (allgather), oas, oab, aog, traffic
      --switching NAME   wormhole (wh) or store-and-forward (sf) [default: wormhole]
      --ports N          Messages that a terminal sends, and receives, in a step
Limits:
      --steps K          Stop at a schedule of K steps
      --time-limit TIME  Stop after this time: 90s, 10m, 1h30m
      --memory SIZE      Stop at this much memory: 500M, 4G
Output:
  -o, --output FILE      Save the schedule
      --from FILE        Begin with the schedule in FILE, and search for a shorter one
      --json             Print one line for programs; -q, --quiet: the summary alone

Examples:
  {run} -t mesh:4x4 --time-limit 30s
  {run} -t torus:4x4 -c aab --switching sf -o s.json
  {run} -t torus:4x4 -c aab --switching sf --from s.json
  {run} -t fat-tree:8 --routing dmodk --ports 1 --json
  {run} -t heawood --engine hgsa --set hgsa:hot=0.3,cold=0.1
"
    )
}

#[cfg(all(test, feature = "commands"))]
mod tests {
    use super::*;
    use crate::commands::Companion;
    use crate::programs::Optimizer;
    use clap::{CommandFactory, Parser};

    #[test]
    fn a_screen_has_24_lines_of_86_columns() {
        for text in [solve(), ranked()] {
            assert!(text.lines().count() <= 24, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 86), "{text}");
        }
    }

    #[test]
    fn its_options_exist_and_its_examples_are_right() {
        let companion = Companion::command();
        let command = companion.find_subcommand("solve").unwrap();
        for text in [solve(), ranked()] {
            let words = text.split([' ', ';', ':', '(', '\n']);
            for flag in words.filter_map(|word| word.strip_prefix("--")) {
                let has = |arg: &clap::Arg| arg.get_long() == Some(flag);
                assert!(command.get_arguments().any(has), "--{flag}");
            }
            let (_, examples) = text.split_once("Examples:\n").unwrap();
            assert_eq!(examples.lines().count(), 5);
            for line in examples.lines() {
                let words = line.split_whitespace().skip_while(|word| !word.starts_with("ccsched"));
                let parsed = match text == solve() {
                    true => Companion::try_parse_from(words).map(drop),
                    false => Optimizer::try_parse_from(words).map(drop),
                };
                parsed.unwrap_or_else(|why| panic!("{line}: {why}"));
            }
        }
    }

    #[test]
    fn the_short_flag_prints_the_screen_and_the_long_one_all() {
        let said =
            |words: &str| Companion::try_parse_from(words.split(' ')).err().unwrap().to_string();
        assert_eq!(said("ccsched solve -h").trim(), solve().trim());
        assert!(said("ccsched solve --help").contains("--wall-margin"));
        let said =
            |words: &str| Optimizer::try_parse_from(words.split(' ')).err().unwrap().to_string();
        assert_eq!(said("ccsched-mpi -h").trim(), ranked().trim());
        assert_eq!(said("ccsched-mpi solve -h").trim(), ranked().trim());
        assert!(said("ccsched-mpi --help").contains("--fan-out"));
    }
}
