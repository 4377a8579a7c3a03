//! Colours of sources, in the space Oklch. Those of up to ten are chosen by hand. Of more, each next
//! one is the candidate that is farthest from all before, from the grey of vertices and from the red of
//! faults, on light and on dark ground alike.

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
/// Lightness of the candidates by shade, and their chroma. Each has a contrast of at least 3 to its ground.
const SHADES: [[f64; 4]; 2] = [[0.38, 0.47, 0.55, 0.64], [0.90, 0.81, 0.72, 0.62]];
const CHROMAS: [f64; 3] = [0.07, 0.12, 0.18];
/// Lightness, chroma and hue of the grey of vertices and of the red of faults, by ground.
const TAKEN: [[(f64, f64, f64); 2]; 2] =
    [[(0.50, 0.02, 250.0), (0.55, 0.22, 27.0)], [(0.61, 0.02, 250.0), (0.68, 0.20, 27.0)]];

/// A colour of the space Oklab: lightness, green to red, blue to yellow.
type Lab = [f64; 3];

/// The colours of this number of sources, such as `#1b6ca8`. Those of more than there are candidates
/// repeat.
pub(super) fn colours(count: usize, ground: Ground) -> Vec<String> {
    if count <= FEW.len() {
        let lightness: [f64; 3] = match ground {
            Ground::Light => [0.56, 0.45, 0.66],
            Ground::Dark => [0.74, 0.63, 0.84],
        };
        let of = |&(hue, shade): &(f64, usize)| hex(shown(lightness[shade], 0.15, hue));
        return FEW[..count].iter().map(of).collect();
    }
    let all = apart(count);
    (0..count).map(|i| hex(all[i % all.len()][ground as usize])).collect()
}

/// Up to this number of candidates, each on light and on dark ground.
fn apart(count: usize) -> Vec<[Lab; 2]> {
    let mut rest: Vec<([Lab; 2], f64)> = Vec::new();
    let taken = TAKEN.map(|of| of.map(|(l, c, h)| shown(l, c, h)));
    let distance = |a: &[Lab; 2], b: &[Lab; 2]| {
        let of = |ground: usize| (0..3).map(|i| (a[ground][i] - b[ground][i]).powi(2)).sum::<f64>();
        of(0).min(of(1))
    };
    for hue in (0..360).step_by(10).map(f64::from) {
        for (shade, chroma) in (0..4).flat_map(|s| CHROMAS.map(|c| (s, c))) {
            let colour = SHADES.map(|of| shown(of[shade], chroma, hue));
            let near = [0, 1].map(|i| distance(&colour, &[taken[0][i], taken[1][i]]));
            rest.push((colour, near[0].min(near[1])));
        }
    }
    let mut chosen = Vec::new();
    while chosen.len() < count && !rest.is_empty() {
        let far = |a: &usize, b: &usize| rest[*a].1.total_cmp(&rest[*b].1).then(b.cmp(a));
        let Some(best) = (0..rest.len()).max_by(far) else { break };
        let (next, _) = rest.swap_remove(best);
        rest.iter_mut().for_each(|(other, near)| *near = near.min(distance(other, &next)));
        chosen.push(next);
    }
    chosen
}

/// A colour of the space Oklch; its chroma is reduced where a screen cannot show it.
fn shown(lightness: f64, chroma: f64, hue: f64) -> Lab {
    let angle = hue.to_radians();
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let mut chroma = chroma;
    loop {
        let lab = [lightness, chroma * cos, chroma * sin];
        if chroma < 0.01 || linear(lab).iter().all(|v| (-0.001..=1.001).contains(v)) {
            return lab;
        }
        chroma -= 0.005;
    }
}

/// A colour as browsers write it.
fn hex(lab: Lab) -> String {
    let [r, g, b] = linear(lab).map(gamma);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Linear sRGB of a colour of the space Oklab (B. Ottosson, "A perceptual color space for image
/// processing").
fn linear([lightness, a, b]: Lab) -> [f64; 3] {
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
        assert_eq!(hex(shown(1.0, 0.0, 0.0)), "#ffffff");
        assert_eq!(hex(shown(0.0, 0.0, 0.0)), "#000000");
        assert_eq!(hex(shown(0.6, 0.1, 250.0)), "#4f84ba");
    }

    #[test]
    fn sources_have_colours_of_their_own() {
        for (count, ground) in [(10, Ground::Light), (10, Ground::Dark), (90, Ground::Light)] {
            let all: HashSet<String> = colours(count, ground).into_iter().collect();
            assert_eq!(all.len(), count);
        }
        assert_eq!(colours(5000, Ground::Dark).len(), 5000);
    }

    #[test]
    fn forty_colours_are_told_apart_and_seen_on_their_ground() {
        let luminance = |rgb: [f64; 3]| 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
        // White, and the cards of pages in dark mode.
        for (ground, behind) in [(0, 1.0), (1, 0.0149)] {
            let all: Vec<Lab> = apart(40).into_iter().map(|colour| colour[ground]).collect();
            for (i, a) in all.iter().enumerate() {
                let own = luminance(linear(*a)).max(0.0);
                let contrast = (own.max(behind) + 0.05) / (own.min(behind) + 0.05);
                assert!(contrast >= 3.0, "{i} {}: {contrast}", hex(*a));
                for b in &all[..i] {
                    let apart: f64 = (0..3).map(|k| (a[k] - b[k]).powi(2)).sum();
                    assert!(apart.sqrt() > 0.05, "{} {}", hex(*a), hex(*b));
                }
            }
        }
    }
}
