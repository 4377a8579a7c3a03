//! Networks and steps of schedules as pictures (SVG).
//!
//! A colour is a source; an arrow is the path of a transfer, from its start to its end. Broken parts
//! are red. A pointer that rests on something shows its whole name.

pub(super) mod canvas;
mod draw;

use super::colour::{Ground, colours};
use super::drawing::Drawing;
use super::scene::Scene;
use super::unit;
use canvas::{Canvas, number};
use ccsched_base::counted::counted;
use ccsched_base::{Error, Result};
use ccsched_model::schedule::{RecordRef, ScheduleFile};
use ccsched_network::Network;
use std::collections::HashMap;

/// The largest side of a picture in pixels; its content is scaled.
const MOST: f64 = 1600.0;
/// Height of the line below a picture.
const CAPTION: f64 = 34.0;
/// The least width of a picture with a caption.
const LEAST: f64 = 320.0;
/// The most steps in one picture.
pub const MOST_STEPS: usize = 100;

/// A network without transfers.
pub fn network(network: &Network) -> String {
    let scene = Scene::new(Drawing::of_network(network));
    let title = scene.drawing.name.clone();
    draw::picture(&scene, &title, None, |canvas| draw::network(canvas, &scene, &HashMap::new()))
}

/// One step of a schedule, from 0.
///
/// # Errors
/// As [`Picture::of`]; [`Error::Problem`] if there is no such step.
pub fn step(file: &ScheduleFile, step: usize) -> Result<String> {
    Picture::of(file)?.step(step)
}

/// The pictures of a schedule; the network is placed once for all of them.
pub struct Picture<'f> {
    file: &'f ScheduleFile,
    scene: Scene,
    /// By source, its colour.
    colours: HashMap<&'f str, String>,
}

impl<'f> Picture<'f> {
    /// Places the network of a schedule.
    ///
    /// # Errors
    /// [`Error::Problem`] with the place in the file: unknown vertices and channels.
    pub fn of(file: &'f ScheduleFile) -> Result<Self> {
        let scene = Scene::new(Drawing::of_file(file)?);
        let sources = super::sources(file);
        let shades = colours(sources.len(), Ground::Light);
        let colours = sources.into_iter().zip(shades).collect();
        Ok(Picture { file, scene, colours })
    }

    /// The network alone, with its broken parts.
    pub fn network(&self) -> String {
        let title = self.file.network.name.clone();
        draw::picture(&self.scene, &title, None, |canvas| {
            draw::network(canvas, &self.scene, &self.colours);
        })
    }

    /// One step, from 0.
    ///
    /// # Errors
    /// [`Error::Problem`]: there is no such step.
    pub fn step(&self, step: usize) -> Result<String> {
        let caption = self.caption(step)?;
        let title = format!("{}: {caption}", self.file.network.name);
        Ok(draw::picture(&self.scene, &title, Some(&caption), |canvas| {
            self.draw(canvas, step);
        }))
    }

    /// Several steps side by side, from 0, in rows of about the shape of a page.
    ///
    /// # Errors
    /// [`Error::Problem`]: there is no such step, or more than [`MOST_STEPS`].
    pub fn sheet(&self, steps: &[usize]) -> Result<String> {
        if steps.len() > MOST_STEPS {
            return Err(Error::problem(format!(
                "{} steps are too many for one picture; the most are {MOST_STEPS}: choose some, or \
                 draw one picture a step",
                steps.len()
            )));
        }
        let captions: Vec<String> =
            steps.iter().map(|&s| self.caption(s)).collect::<Result<_>>()?;
        let (width, height) = (self.scene.size.x.max(LEAST), self.scene.size.y + CAPTION);
        let wide = libm::sqrt(1.9 * steps.len() as f64 * height / width).round();
        let columns = (wide as usize).clamp(1, steps.len().max(1));
        let rows = steps.len().div_ceil(columns).max(1);
        let title = format!(
            "{} in {}",
            self.file.network.name,
            counted(self.file.steps.len(), unit(self.file))
        );
        let (all, high) = (width * columns as f64, height * rows as f64);
        let mut canvas = Canvas::new(all, high, MOST, &title);
        for (place, (&step, caption)) in steps.iter().zip(&captions).enumerate() {
            let (x, y) = ((place % columns) as f64 * width, (place / columns) as f64 * height);
            let inset = (width - self.scene.size.x) / 2.0;
            let shift = format!("translate({} {})", number(x + inset), number(y));
            canvas.open("g", &[("transform", &shift)]);
            self.draw(&mut canvas, step);
            draw::caption(&mut canvas, &self.scene, caption);
            canvas.close("g");
        }
        Ok(canvas.finish())
    }

    fn draw(&self, canvas: &mut Canvas, step: usize) {
        draw::links(canvas, &self.scene);
        let have_trees = self.file.is_multicast();
        let mut lanes = draw::Lanes { have_trees, taken: HashMap::new() };
        for transfer in self.file.steps.places(step) {
            let t = self.file.steps.record(transfer);
            let colour = self.colours.get(t.message.source).map_or("#555555", String::as_str);
            draw::path(canvas, &self.scene, &t, colour, &title(&t), &mut lanes);
        }
        draw::vertices(canvas, &self.scene, &self.colours);
    }

    fn caption(&self, step: usize) -> Result<String> {
        let count = self.file.steps.len();
        if step >= count {
            return Err(Error::problem(format!(
                "there is no {} {}; the schedule has {count}",
                unit(self.file),
                step + 1
            )));
        }
        let transfers = self.file.steps.places(step).len();
        let unit = unit(self.file);
        Ok(format!("{unit} {} of {count}: {}", step + 1, counted(transfers, "transfer")))
    }
}

/// The message of a transfer in words.
fn title(t: &RecordRef<'_>) -> String {
    let message = match t.message.destination {
        Some(destination) => format!("message of {} for {destination}", t.message.source),
        None => format!("message of {}", t.message.source),
    };
    let message = message + &super::piece(&t.message);
    let is_direct = t.message.source == t.from && t.message.destination == Some(t.to);
    if is_direct { message } else { format!("{message}, {} to {}", t.from, t.to) }
}
