//! How a board under a group keeps what its transfers occupy: one resource per orbit, whose rows are gathered for each
//! image, or all resources, each with a row of its own. The second is faster where transfers have few images, and takes more memory.

use crate::problem::ResourceId;
use crate::symmetry::Images;
use std::sync::Arc;

/// All resources have rows under groups of at most this order, which times the longest path is at most [`MOST_USES`],
const MOST_IMAGES: usize = 600;
const MOST_USES: usize = 10_000;
/// with at most so many cells.
const MOST_CELLS: usize = 1 << 23;

/// The group of a board.
#[derive(Clone, Debug, Default)]
pub enum Symmetry {
    /// None: transfers have no images.
    #[default]
    None,
    /// The board has one resource of every orbit.
    Quotient(Arc<Images>),
    /// The board has all resources.
    All(Arc<All>),
}

/// The images of all resources.
#[derive(Debug)]
pub struct All {
    images: Arc<Images>,
    /// By resource and element.
    resources: Vec<ResourceId>,
}

impl Symmetry {
    /// The way that suits a group, if all resources have so many cells, and the longest path so many channels.
    pub fn of(images: &Arc<Images>, cells: usize, longest: usize) -> Self {
        let order = images.order();
        if order > MOST_IMAGES || order * longest > MOST_USES || cells > MOST_CELLS {
            return Symmetry::Quotient(images.clone());
        }
        Symmetry::All(Arc::new(All { resources: images.resources(), images: images.clone() }))
    }

    /// Whether the board has one resource of every orbit.
    pub fn is_quotient(&self) -> bool {
        matches!(self, Symmetry::Quotient(_))
    }

    /// Calls `act` on the cells that no transfer can use, because it would share them with an image of its own.
    pub fn fixed_cells(&self, images: &Images, mut act: impl FnMut(u32, u32)) {
        let Symmetry::All(all) = self else {
            return images.fixed_cells().for_each(|(row, step)| act(row, step));
        };
        for (resource, of_resource) in (0..).zip(all.resources.chunks(images.order())) {
            let resting = (1..images.order()).filter(|&g| of_resource[g] == resource);
            for g in resting {
                let steps = 0..all.images.action().steps();
                let fixed = steps.filter(|&step| all.images.step(g, step) == step);
                fixed.for_each(|step| act(resource, step));
            }
        }
    }
}

impl All {
    /// A cell and its images.
    pub fn images(
        &self,
        resource: ResourceId,
        step: u32,
    ) -> impl Iterator<Item = (ResourceId, u32)> {
        let order = self.images.order();
        let resources = self.resources[resource as usize * order..][..order].iter();
        resources.enumerate().map(move |(g, &image)| (image, self.images.step(g, step)))
    }
}
