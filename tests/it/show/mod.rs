//! Schedules and networks as text and pictures.

mod html;
mod svg;
mod text;
