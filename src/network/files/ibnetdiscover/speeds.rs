//! Speeds as capacities: the greatest common divisor of all speeds in the fabric is capacity 1.

use super::cables::Cable;
use crate::network::MAX_CAPACITY;

/// The speed of one lane by its name, in units of half a Gbit/s, as the InfiniBand Trade
/// Association rounds them.
pub const RATES: [(&str, u32); 9] = [
    ("SDR", 5),
    ("DDR", 10),
    ("QDR", 20),
    ("FDR10", 20),
    ("FDR", 28),
    ("EDR", 50),
    ("HDR", 100),
    ("NDR", 200),
    ("XDR", 400),
];

/// The speed of a cable, `4xQDR`; none if the text is no speed.
pub fn rate(text: &str) -> Option<u32> {
    let (lanes, name) = text.split_once('x')?;
    let lanes = lanes.parse::<u32>().ok().filter(|lanes| [1, 2, 4, 8, 12].contains(lanes))?;
    let (_, speed) = RATES.iter().find(|(known, _)| *known == name)?;
    Some(lanes * speed)
}

/// The capacity of every cable. A cable of unknown speed is as fast as the slowest one that is
/// known.
pub fn capacities(cables: &[Cable], equal: bool) -> Vec<u32> {
    let known = || cables.iter().filter_map(|cable| cable.rate);
    let (Some(slowest), Some(fastest)) = (known().min(), known().max()) else {
        return vec![1; cables.len()];
    };
    if equal {
        return vec![1; cables.len()];
    }
    let unit = known().fold(0, gcd);
    let capacity = |rate: u32| match fastest / unit <= MAX_CAPACITY {
        true => rate / unit,
        // Speeds that hardly have a common part: the slowest is capacity 1, the others are
        // rounded down.
        false => (rate / slowest).min(MAX_CAPACITY),
    };
    cables.iter().map(|cable| capacity(cable.rate.unwrap_or(slowest))).collect()
}

/// The greatest common divisor.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rates: &[&str]) -> Vec<u32> {
        let cable = |text: &&str| Cable { ends: [(0, 0), (1, 0)], rate: rate(text) };
        capacities(&rates.iter().map(cable).collect::<Vec<_>>(), false)
    }

    #[test]
    fn the_common_part_of_all_speeds_is_capacity_1() {
        assert_eq!(of(&["4xQDR", "4xDDR", "???"]), [2, 1, 1]);
        assert_eq!(of(&["4xEDR", "4xEDR"]), [1, 1]);
        assert_eq!(of(&["4xFDR", "4xEDR"]), [14, 25]);
        assert_eq!(of(&["4xHDR", "2xHDR", "4xNDR"]), [2, 1, 4]);
        assert_eq!(of(&["1xSDR", "1xFDR", "12xXDR"]), [1, 5, 960]);
        assert_eq!(of(&["???"]), [1]);
        assert_eq!(rate("3xQDR").or(rate("4xABC")).or(rate("QDR")).or(rate("")), None);
    }
}
