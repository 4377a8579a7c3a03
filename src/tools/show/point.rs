//! A place in a picture: x to the right, y down.

use std::ops::{Add, Mul, Sub};

/// A place, or the way from one to another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub x: f64,
    pub y: f64,
}

/// The point at these coordinates.
pub(super) fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

/// The point on the unit circle; an angle of 0 is at the top, and angles grow clockwise.
pub(super) fn on_circle(angle: f64) -> Point {
    at(libm::sin(angle), -libm::cos(angle))
}

impl Point {
    /// The length of the way.
    pub fn length(self) -> f64 {
        libm::hypot(self.x, self.y)
    }

    /// The way of length 1 in the same direction; to the right if this one has no length.
    pub fn unit(self) -> Point {
        let length = self.length();
        if length > 1e-9 { self * (1.0 / length) } else { at(1.0, 0.0) }
    }

    /// The same way, turned by a quarter to the right of its direction.
    pub fn right(self) -> Point {
        at(-self.y, self.x)
    }

    /// The distance to another point.
    pub fn distance(self, other: Point) -> f64 {
        (self - other).length()
    }

    /// The point in the middle.
    pub fn middle(self, other: Point) -> Point {
        (self + other) * 0.5
    }
}

impl Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        at(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        at(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, factor: f64) -> Point {
        at(self.x * factor, self.y * factor)
    }
}

/// The mean of some points; the origin if there is none.
pub(super) fn mean(points: impl IntoIterator<Item = Point>) -> Point {
    let (sum, count) =
        points.into_iter().fold((Point::default(), 0.0), |(s, n), p| (s + p, n + 1.0));
    if count > 0.0 { sum * (1.0 / count) } else { sum }
}
