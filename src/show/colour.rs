//! Colours of sources. Hues are equally bright (in the space Oklch), so no source seems more
//! important than another; the red of faults is not among them.

/// The background on which a colour must be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ground {
    /// Pictures, and pages in light mode.
    Light,
    /// Pages in dark mode.
    Dark,
}

/// Hues of few sources, in degrees, with a shade: easy to tell apart.
const FEW: [(f64, usize); 10] = [
    (250.0, 0),
    (60.0, 0),
    (155.0, 0),
    (345.0, 0),
    (200.0, 2),
    (300.0, 0),
    (95.0, 2),
    (265.0, 1),
    (55.0, 1),
    (165.0, 1),
];
/// The golden section: any number of its multiples, without their whole parts, are far from each
/// other.
const GOLDEN: f64 = 0.618_033_988_75;

/// The colour of one of `count` sources, such as `#1b6ca8`.
pub(super) fn colour(index: usize, count: usize, ground: Ground) -> String {
    let (hue, shade) = if count <= FEW.len() {
        FEW[index % FEW.len()]
    } else {
        // The red of faults, from 10 to 40, is skipped.
        (40.0 + 330.0 * (index as f64 * GOLDEN).fract(), index % 3)
    };
    let lightness = match ground {
        Ground::Light => [0.56, 0.45, 0.66][shade],
        Ground::Dark => [0.74, 0.63, 0.84][shade],
    };
    oklch(lightness, 0.15, hue)
}

/// A colour of the space Oklch in sRGB; its chroma is reduced where a screen cannot show it.
fn oklch(lightness: f64, chroma: f64, hue: f64) -> String {
    let angle = hue.to_radians();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let mut chroma = chroma;
    loop {
        let rgb = linear(lightness, chroma * cos, chroma * sin);
        let is_shown = rgb.iter().all(|v| (-0.001..=1.001).contains(v));
        if is_shown || chroma < 0.01 {
            let [r, g, b] = rgb.map(gamma);
            return format!("#{r:02x}{g:02x}{b:02x}");
        }
        chroma -= 0.005;
    }
}

/// Linear sRGB of a colour of the space Oklab (B. Ottosson, "A perceptual color space for image
/// processing").
fn linear(lightness: f64, a: f64, b: f64) -> [f64; 3] {
    let cube = |v: f64| v * v * v;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// A linear value as a byte of sRGB.
fn gamma(v: f64) -> u8 {
    let v = v.clamp(0.0, 1.0);
    let bent = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * libm::pow(v, 1.0 / 2.4) - 0.055 };
    (bent * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn oklch_is_that_of_browsers() {
        assert_eq!(oklch(1.0, 0.0, 0.0), "#ffffff");
        assert_eq!(oklch(0.0, 0.0, 0.0), "#000000");
        assert_eq!(oklch(0.6, 0.1, 250.0), "#4f84ba");
    }

    #[test]
    fn sources_have_colours_of_their_own() {
        for (count, ground) in [(10, Ground::Light), (10, Ground::Dark), (90, Ground::Light)] {
            let all: HashSet<String> = (0..count).map(|i| colour(i, count, ground)).collect();
            assert_eq!(all.len(), count);
        }
    }
}
