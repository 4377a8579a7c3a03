//! Speeds as capacities: the greatest common divisor of all speeds in the fabric is capacity 1; and
//! what capacity 1 stands for.

use crate::Rate;
use crate::files::rates;

/// The speed of one lane by its name, as the InfiniBand Trade Association rounds it, in units of half a
/// Gbit/s; and the Gbit/s that are left for data by its coding: 8 of 10 bits up to QDR, 64 of 66 from
/// FDR10 on. Names of speeds from EDR on are those of the data.
const LANES: [(&str, u64, f64); 9] = [
    ("SDR", 5, 2.0),
    ("DDR", 10, 4.0),
    ("QDR", 20, 8.0),
    ("FDR10", 20, 10.0),
    ("FDR", 28, 14.0625 * 64.0 / 66.0),
    ("EDR", 50, 25.0),
    ("HDR", 100, 50.0),
    ("NDR", 200, 100.0),
    ("XDR", 400, 200.0),
];

/// The speed of a cable; the slower one is the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Speed {
    /// In units of half a Gbit/s.
    units: u64,
    lanes: u32,
    /// A place in [`LANES`].
    kind: usize,
}

impl Speed {
    /// The speed of a text, `4xQDR`; none if it is no speed.
    pub fn read(text: &str) -> Option<Speed> {
        let (lanes, name) = text.split_once('x')?;
        let lanes = lanes.parse::<u32>().ok().filter(|lanes| [1, 2, 4, 8, 12].contains(lanes))?;
        let kind = LANES.iter().position(|(known, ..)| *known == name)?;
        Some(Speed { units: u64::from(lanes) * LANES[kind].1, lanes, kind })
    }

    /// The rate of the data on it.
    fn rate(self) -> Rate {
        let (name, _, gigabits) = LANES[self.kind];
        let bytes_per_second = f64::from(self.lanes) * gigabits * 1e9 / 8.0;
        Rate { name: format!("{}x{name}", self.lanes).into(), bytes_per_second }
    }
}

/// The capacity of every cable, of which this is the speed, and what capacity 1 stands for. A cable of unknown speed is as fast as
/// the slowest one that is known.
pub fn capacities(cables: &[Option<Speed>], equal: bool) -> (Vec<u32>, Option<Rate>) {
    let speeds: Vec<Option<u64>> =
        cables.iter().map(|cable| cable.map(|speed| speed.units)).collect();
    let capacities = rates::capacities(&speeds, equal);
    let known = cables.iter().zip(&capacities);
    let known = known.filter_map(|(cable, &capacity)| Some(((*cable)?.rate(), capacity)));
    let rate = rates::of_one(known);
    (capacities, rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rates: &[&str], equal: bool) -> (Vec<u32>, Option<Rate>) {
        capacities(&rates.iter().map(|text| Speed::read(text)).collect::<Vec<_>>(), equal)
    }

    #[test]
    fn the_common_part_of_all_speeds_is_capacity_1() {
        for (rates, expected) in [
            (&["4xQDR", "4xDDR", "???"][..], &[2, 1, 1][..]),
            (&["4xEDR", "4xEDR"], &[1, 1]),
            (&["4xFDR", "4xEDR"], &[14, 25]),
            (&["4xHDR", "2xHDR", "4xNDR"], &[2, 1, 4]),
            (&["1xSDR", "1xFDR", "12xXDR"], &[1, 5, 960]),
            (&["???"], &[1]),
        ] {
            assert_eq!(of(rates, false).0, expected, "{rates:?}");
        }
        for text in ["3xQDR", "4xABC", "QDR", ""] {
            assert_eq!(Speed::read(text), None, "{text}");
        }
    }

    #[test]
    fn capacity_1_has_the_rate_of_the_data() {
        for (rates, equal, expected) in [
            (&["4xQDR"][..], false, "4xQDR, 4 GB/s"),
            (&["4xFDR10"], false, "4xFDR10, 5 GB/s"),
            (&["4xFDR"], false, "4xFDR, 6.818 GB/s"),
            (&["4xEDR", "???"], false, "4xEDR, 12.5 GB/s"),
            (&["4xHDR"], false, "4xHDR, 25 GB/s"),
            (&["4xNDR", "4xHDR"], false, "4xHDR, 25 GB/s"),
            (&["8xXDR"], false, "8xXDR, 200 GB/s"),
            (&["1xSDR", "1xDDR"], false, "1xSDR, 250 MB/s"),
            // A message goes as fast as on the slower cable.
            (&["4xHDR", "4xEDR"], true, "4xEDR, 12.5 GB/s"),
            (&["4xFDR", "4xEDR"], false, "1/14 of 4xFDR, 487.013 MB/s"),
        ] {
            let said = of(rates, equal).1.unwrap().to_string();
            assert_eq!(said, expected);
        }
        assert_eq!(of(&["???"], false).1, None);
    }
}
