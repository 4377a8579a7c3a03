//! Digraphs of words, in lexicographic order: a one-way channel leads from a word to each word that
//! results from removing the first letter and appending one. In Kautz digraphs
//! (umda-diameter-degree-networks, section 2) the words have K letters out of D + 1, no letter
//! twice in a row; in de Bruijn digraphs they are all words of K letters out of D.

use super::params::{at_least, counts, fits, product};
use super::plan::Plan;

/// `kautz:D,K`.
pub fn kautz(text: &str) -> Result<Plan, String> {
    let [d, k] = counts(text, ["D", "K"])?;
    // The number of words with the same first letter.
    let share = d.checked_pow(k as u32 - 1);
    fits(share.and_then(|share| product(&[share, d + 1, d, if d == 1 { k } else { 1 }])))?;
    let share = share.unwrap_or(0);
    let mut plan = Plan::new(format!("{d},{k}"));
    plan.one_way = true;
    for v in 0..share * (d + 1) {
        let letters: Vec<String> = word(v, d, k).iter().map(u64::to_string).collect();
        plan.vertex(letters.join(if d >= 10 { "." } else { "" }), true);
    }
    for v in 0..share * (d + 1) {
        let mut next = word(v, d, k);
        let last = next[next.len() - 1];
        next.remove(0);
        for letter in (0..=d).filter(|&l| l != last) {
            next.push(letter);
            plan.link(v, rank(&next, d));
            next.pop();
        }
    }
    Ok(plan)
}

/// `debruijn:D,K`. Words that repeat one letter have no channel to themselves.
pub fn de_bruijn(text: &str) -> Result<Plan, String> {
    let [d, k] = counts(text, ["D", "K"])?;
    at_least(d, 2, "D")?;
    let words = d.checked_pow(k as u32);
    fits(words.and_then(|words| product(&[words, d, k])))?;
    let words = words.unwrap_or(0);
    let mut plan = Plan::new(format!("{d},{k}"));
    plan.one_way = true;
    for v in 0..words {
        let letters = (0..k as u32).rev().map(|i| v / d.pow(i) % d);
        let letters: Vec<String> = letters.map(|l| l.to_string()).collect();
        plan.vertex(letters.join(if d > 10 { "." } else { "" }), true);
    }
    for v in 0..words {
        let next = (0..d).map(|letter| v * d % words + letter);
        next.filter(|&w| w != v).for_each(|w| plan.link(v, w));
    }
    Ok(plan)
}

/// The word of vertex `v`: its first letter in base D + 1, the others in base D, each counted
/// without the letter before it.
fn word(mut v: u64, d: u64, k: u64) -> Vec<u64> {
    let mut digits = Vec::with_capacity(k as usize);
    for _ in 1..k {
        digits.push(v % d);
        v /= d;
    }
    digits.push(v);
    digits.reverse();
    for i in 1..digits.len() {
        digits[i] += (digits[i] >= digits[i - 1]) as u64;
    }
    digits
}

/// The vertex of a word.
fn rank(word: &[u64], d: u64) -> u64 {
    let follow = |w: &[u64]| w[1] - (w[1] > w[0]) as u64;
    word.windows(2).fold(word[0], |v, w| v * d + follow(w))
}
