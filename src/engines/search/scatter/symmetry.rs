//! How a board under a group keeps what its transfers occupy: one resource per orbit, whose rows are gathered for each
//! image, or all resources, each with a row of its own. The second is faster where transfers have few images, and takes more memory.

use ccsched_model::problem::ResourceId;
use ccsched_model::symmetry::Images;
use std::sync::Arc;

/// Limits for a board with rows for all resources: the order of the group, the order times the
/// longest path, and the cells.
const MOST_IMAGES: usize = 128;
const MOST_USES: usize = 10_000;
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
    /// The way that suits a group, for all resources with this number of cells, and a longest path.
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
    pub fn fixed_cells(&self, mut act: impl FnMut(u32, u32)) {
        match self {
            Symmetry::None => {}
            Symmetry::Quotient(images) => {
                images.fixed_cells().for_each(|(row, step)| act(row, step));
            }
            Symmetry::All(all) => all.fixed_cells(act),
        }
    }
}

impl All {
    /// The same for all resources.
    fn fixed_cells(&self, mut act: impl FnMut(u32, u32)) {
        let images = &self.images;
        for (resource, of_resource) in (0..).zip(self.resources.chunks(images.order())) {
            let resting = (1..images.order()).filter(|&g| of_resource[g] == resource);
            for g in resting {
                let steps = 0..images.action().steps();
                let fixed = steps.filter(|&step| images.step(g, step) == step);
                fixed.for_each(|step| act(resource, step));
            }
        }
    }

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

#[cfg(test)]
mod tests {
    use super::super::board::Board;
    use super::*;
    use ccsched_base::rng::rng_of;
    use ccsched_model::problem::{Collective, Request};
    use ccsched_model::symmetry::{Action, Lookup, groups_of_demands};
    use ccsched_network::spec;

    /// Boards of both kinds tell the same prices and owners.
    #[test]
    fn a_board_of_all_resources_tells_what_the_quotient_does() {
        let rng = &mut rng_of(1, 0, 0);
        let request = Request::new(Collective::Aas);
        let problem = request.pose(spec::parse("mesh:4x4").unwrap(), vec![]).unwrap();
        let lookup = Arc::new(Lookup::new(Arc::new(problem)));
        let capacities = lookup.problem().resources().capacities();
        for group in groups_of_demands(&lookup, rng).iter().filter(|group| group.order() > 1) {
            let steps = 16;
            let images = Images::new(&lookup, group, Action::random(group, steps, rng));
            let images = Arc::new(images.unwrap());
            let [mut all, mut quotient] =
                [1, MOST_USES + 1].map(|longest| Board::under(&images, capacities, steps, longest));
            assert!(quotient.is_quotient() && !all.is_quotient());
            let prices = [3, 5, 7];
            let cells = || {
                let steps = move |r| (0..steps).map(move |step| (r, step));
                (0..capacities.len() as ResourceId).flat_map(steps)
            };
            for (owner, (r, step)) in (0..3).zip(cells().step_by(37)) {
                if quotient.is_free(r, step) {
                    quotient.put(r, step, owner, &prices);
                    all.put(r, step, owner, &prices);
                }
            }
            for (r, step) in cells() {
                assert_eq!(all.at(r, step as usize), quotient.at(r, step as usize));
                assert_eq!(all.is_free(r, step), quotient.is_free(r, step));
            }
        }
    }
}
