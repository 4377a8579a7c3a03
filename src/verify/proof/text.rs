//! The files of a proof: clauses (DIMACS), and what their variables mean.

use std::collections::HashMap;

/// The map of a proof.
pub(super) struct Meanings {
    /// No schedule of that many steps, it is claimed.
    pub steps: u32,
    /// Number of variables, which are numbered from 1.
    pub variables: usize,
    /// By meaning, the variable.
    pub of: HashMap<String, i32>,
    /// The order in which demands take their steps.
    pub order: Vec<usize>,
    /// By name of a resource, its weight; resources that are not named have none.
    pub weights: Vec<HashMap<String, u64>>,
}

impl Meanings {
    /// Reads a map; every variable has one meaning, and no two have the same.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut map = Meanings {
            steps: 0,
            variables: 0,
            of: HashMap::new(),
            order: Vec::new(),
            weights: Vec::new(),
        };
        let mut has_steps = false;
        for (line, words) in (1..).zip(text.lines()) {
            let wrong = |why: &str| format!("line {line}: {why}");
            let (first, rest) = words.split_once(' ').unwrap_or((words, ""));
            match first {
                "steps" => {
                    let steps = rest.parse();
                    map.steps = steps.map_err(|_| wrong("after `steps` comes a number"))?;
                    has_steps = true;
                }
                "order" => map.order = numbers(rest).ok_or_else(|| wrong("a list of numbers"))?,
                "weights" => {
                    let weights = weights(rest).ok_or_else(|| wrong("a list of name=weight"))?;
                    map.weights.push(weights);
                }
                number => {
                    map.variables += 1;
                    if number.parse() != Ok(map.variables) {
                        return Err(wrong("the meaning of the next variable, after its number"));
                    }
                    let variable = i32::try_from(map.variables);
                    let variable = variable.map_err(|_| wrong("too many variables"))?;
                    if map.of.insert(rest.to_string(), variable).is_some() {
                        return Err(wrong("another variable has this meaning already"));
                    }
                }
            }
        }
        if has_steps { Ok(map) } else { Err("a line `steps NUMBER` is missing".into()) }
    }
}

fn numbers(text: &str) -> Option<Vec<usize>> {
    text.split(' ').map(|word| word.parse().ok()).collect()
}

fn weights(text: &str) -> Option<HashMap<String, u64>> {
    let one = |word: &str| {
        let (name, weight) = word.split_once('=')?;
        Some((name.to_string(), weight.parse().ok()?))
    };
    text.split(' ').map(one).collect()
}

/// The clauses of a DIMACS file, each on a line.
pub(super) fn clauses(text: &str, variables: usize) -> Result<Vec<Vec<i32>>, String> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('c'));
    let header = lines.next().map_or("", |(_, line)| line);
    let sizes: Vec<&str> = header.split(' ').collect();
    let &["p", "cnf", _, number] = sizes.as_slice() else {
        return Err("the first line is not `p cnf VARIABLES CLAUSES`".into());
    };
    let clauses: Vec<Vec<i32>> = lines
        .map(|(line, words)| {
            literals(words, variables).map_err(|why| format!("line {line}: {why}"))
        })
        .collect::<Result<_, _>>()?;
    if number.parse() != Ok(clauses.len()) {
        return Err(format!("{number} clauses are announced, {} follow", clauses.len()));
    }
    Ok(clauses)
}

/// The literals of a clause, which 0 ends.
pub(super) fn literals(words: &str, variables: usize) -> Result<Vec<i32>, String> {
    let words = words.strip_suffix('0').ok_or("a clause ends with 0")?;
    let literal = |word: &str| {
        let number: i32 = word.parse().map_err(|_| format!("'{word}' is no literal"))?;
        let is_one = (1..=variables as u64).contains(&u64::from(number.unsigned_abs()));
        is_one.then_some(number).ok_or_else(|| format!("there is no variable {number}"))
    };
    words.split_ascii_whitespace().map(literal).collect()
}
