//! The occupancy of a partial schedule, which never has a conflict. Besides the owners it keeps
//! what the search reads most, in rows over the steps: the price of each resource in each step, and
//! the steps in which it is free. Under a group of automorphisms it stores one resource per orbit
//! and answers for all, or all resources with all images.

use ccsched_model::problem::{ResourceId, places};
use ccsched_model::symmetry::Images;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No owner.
pub const NOBODY: u32 = u32::MAX;
/// The price of an impossible place. All possible prices, and their sums along a path, stay below;
/// twice this value does not overflow.
pub const NEVER: i16 = 16_000;
/// Rows of prices are padded to a multiple of this number of steps, for the vector units.
const LANES: usize = 16;

/// A short mark of an owner, for comparing neighbours along a path. No owner shares the mark of
/// [`NOBODY`].
pub fn mark(owner: u32) -> u16 {
    if owner == NOBODY { u16::MAX } else { (owner % u32::from(u16::MAX)) as u16 }
}

/// A price, and a mark above it.
fn both(price: i16, mark: u16) -> u32 {
    u32::from(price as u16) | u32::from(mark) << 16
}

/// The transfers that occupy each place of each resource in each step. A resource of capacity c has
/// c places.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Board {
    /// The group. Not saved: the search has it.
    #[serde(skip)]
    symmetry: Symmetry,
    steps: usize,
    /// Length of a row over the steps, in owners and prices.
    stride: usize,
    /// Length of a row over the steps, in words of bits.
    words: usize,
    /// First place of each resource, and the end of the last.
    places: Vec<u32>,
    /// By place, then step.
    owners: Vec<u32>,
    /// By resource, then step: the price of making room; 0 if there is room.
    prices: Vec<i16>,
    /// By resource, then step: the mark of the cheapest owner, to see whether two neighbouring
    /// resources have the same owner.
    marks: Vec<u16>,
    /// By resource, then step, where rows are gathered: the price, and the mark above it. Both are gathered at once.
    both: Vec<u32>,
    /// By resource, then step: whether there is room, in bits.
    free: Vec<u64>,
}

/// Buffer for the prices and marks of a resource, which must be gathered under a group.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    prices: Vec<i16>,
    marks: Vec<u16>,
}

impl Board {
    /// An empty board for resources of these capacities.
    pub fn new(capacity: &[u32], steps: u32) -> Self {
        Self::empty(capacity, steps, Symmetry::None)
    }

    /// An empty board under a group, for resources of these capacities and paths of at most
    /// `longest` channels.
    pub fn under(images: &Arc<Images>, capacity: &[u32], steps: u32, longest: usize) -> Self {
        let symmetry = Symmetry::of(images, capacity.len() * steps as usize, longest);
        let capacity = if symmetry.is_quotient() { images.capacities() } else { capacity };
        let mut board = Self::empty(capacity, steps, symmetry.clone());
        symmetry.fixed_cells(|row, step| board.forbid(row, step));
        board
    }

    fn empty(capacity: &[u32], steps: u32, symmetry: Symmetry) -> Self {
        let steps = steps as usize;
        let (stride, words) = (steps.next_multiple_of(LANES), steps.div_ceil(64));
        let places = places(capacity);
        let all = *places.last().expect("never empty") as usize;
        let prices = capacity.len() * stride;
        let mut free = vec![0; capacity.len() * words];
        for row in free.chunks_mut(words.max(1)) {
            (0..steps).for_each(|step| row[step / 64] |= 1 << (step % 64));
        }
        let both = vec![both(0, mark(NOBODY)); if symmetry.is_quotient() { prices } else { 0 }];
        Board {
            symmetry,
            steps,
            stride,
            words,
            places,
            owners: vec![NOBODY; all * stride],
            prices: vec![0; prices],
            marks: vec![mark(NOBODY); prices],
            both,
            free,
        }
    }

    /// This board with the group of another; none if their networks, groups or steps differ.
    pub fn like(self, other: &Board) -> Option<Board> {
        let sizes = |b: &Board| {
            let cells = [&b.owners, &b.both].map(Vec::len);
            let cells = (cells, b.prices.len(), b.marks.len(), b.free.len());
            (b.steps, b.stride, b.words, cells)
        };
        let is_like = sizes(&self) == sizes(other) && self.places == other.places;
        is_like.then(|| Board { symmetry: other.symmetry.clone(), ..self })
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Length of a row of prices.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The price of a resource in each step, and the mark of its cheapest owner.
    pub fn row<'a>(
        &'a self,
        resource: ResourceId,
        gathered: &'a mut RowBuffer,
    ) -> (&'a [i16], &'a [u16]) {
        let Symmetry::Quotient(images) = &self.symmetry else {
            let all = resource as usize * self.stride..(resource as usize + 1) * self.stride;
            return (&self.prices[all.clone()], &self.marks[all]);
        };
        let (row, places) = images.row(resource);
        let all = row as usize * self.stride..(row as usize + 1) * self.stride;
        let both = &self.both[all];
        gathered.prices.resize(self.stride, 0);
        gathered.marks.resize(self.stride, 0);
        let to = gathered.prices.iter_mut().zip(&mut gathered.marks);
        for ((price, mark), &place) in to.zip(places) {
            let cell = both[place as usize];
            (*price, *mark) = (cell as i16, (cell >> 16) as u16);
        }
        (&gathered.prices, &gathered.marks)
    }

    /// The price of a resource in a step, and the mark of its cheapest owner.
    #[inline]
    pub fn at(&self, resource: ResourceId, step: usize) -> (i16, u16) {
        let (row, step) = self.cell(resource, step as u32);
        let cell = row as usize * self.stride + step as usize;
        (self.prices[cell], self.marks[cell])
    }

    /// Whether it stores one resource per orbit of a group.
    pub fn is_quotient(&self) -> bool {
        self.symmetry.is_quotient()
    }

    /// The steps in which a resource is free, in bits; none where one resource is stored per orbit.
    pub fn free(&self, resource: ResourceId) -> Option<&[u64]> {
        let row = || &self.free[resource as usize * self.words..][..self.words];
        (!self.is_quotient()).then(row)
    }

    /// Whether a resource is free in a step.
    pub fn is_free(&self, resource: ResourceId, step: u32) -> bool {
        let (row, step) = self.cell(resource, step);
        self.free[row as usize * self.words + step as usize / 64] >> (step % 64) & 1 == 1
    }

    /// The cheapest owner of a resource in a step; none if there is room for one more.
    pub fn occupant(&self, resource: ResourceId, step: u32, price: &[i16]) -> Option<u32> {
        if self.is_free(resource, step) {
            return None;
        }
        let (row, step) = self.cell(resource, step);
        self.places(row, step).map(|cell| self.owners[cell]).min_by_key(|&o| price[o as usize])
    }

    /// Adds an owner; there must be room.
    pub fn put(&mut self, resource: ResourceId, step: u32, owner: u32, price: &[i16]) {
        self.everywhere(resource, step, |board, row, step| {
            board.replace(row, step, NOBODY, owner, price);
        });
    }

    /// Removes an owner.
    pub fn take(&mut self, resource: ResourceId, step: u32, owner: u32, price: &[i16]) {
        self.everywhere(resource, step, |board, row, step| {
            board.replace(row, step, owner, NOBODY, price);
        });
    }

    /// Updates the price of a resource in a step after the prices of its owners changed.
    pub fn reprice(&mut self, resource: ResourceId, step: u32, price: &[i16]) {
        self.everywhere(resource, step, |board, row, step| board.price(row, step, price));
    }

    /// The row and the step that represent a resource in a step.
    fn cell(&self, resource: ResourceId, step: u32) -> (u32, u32) {
        match &self.symmetry {
            Symmetry::Quotient(images) => images.cell(resource, step),
            Symmetry::None | Symmetry::All(_) => (resource, step),
        }
    }

    /// Calls `act` on all cells that represent a resource in a step, and its images.
    fn everywhere(
        &mut self,
        resource: ResourceId,
        step: u32,
        mut act: impl FnMut(&mut Board, u32, u32),
    ) {
        match self.symmetry.clone() {
            Symmetry::None => act(self, resource, step),
            Symmetry::Quotient(images) => {
                let twins = images.twins(images.cell(resource, step));
                twins.for_each(|(row, step)| act(self, row, step));
            }
            Symmetry::All(all) => {
                all.images(resource, step).for_each(|(resource, step)| act(self, resource, step));
            }
        }
    }

    /// Makes a row unavailable in a step.
    fn forbid(&mut self, row: u32, step: u32) {
        let (r, s) = (row as usize, step as usize);
        self.set(r * self.stride + s, NEVER, mark(NOBODY));
        self.free[r * self.words + s / 64] &= !(1 << (s % 64));
    }

    fn price(&mut self, row: u32, step: u32, price: &[i16]) {
        let owners = self.places(row, step).map(|cell| self.owners[cell]);
        let with_price = |o: u32| (if o == NOBODY { 0 } else { price[o as usize] }, o);
        let (least, owner) = owners.map(with_price).min_by_key(|&(p, _)| p).expect("a place");
        let (r, s) = (row as usize, step as usize);
        self.set(r * self.stride + s, least, mark(owner));
        let bit = 1 << (s % 64);
        let word = &mut self.free[r * self.words + s / 64];
        if least == 0 { *word |= bit } else { *word &= !bit }
    }

    /// Sets the price and the mark of a cell.
    fn set(&mut self, cell: usize, price: i16, mark: u16) {
        (self.prices[cell], self.marks[cell]) = (price, mark);
        if let Some(cell) = self.both.get_mut(cell) {
            *cell = both(price, mark);
        }
    }

    fn places(&self, row: u32, step: u32) -> impl Iterator<Item = usize> + use<> {
        let (r, stride) = (row as usize, self.stride);
        (self.places[r]..self.places[r + 1]).map(move |p| p as usize * stride + step as usize)
    }

    fn replace(&mut self, row: u32, step: u32, old: u32, new: u32, price: &[i16]) {
        let cell = self.places(row, step).find(|&cell| self.owners[cell] == old);
        self.owners[cell.expect("the board is kept in step with the places")] = new;
        self.price(row, step, price);
    }
}

// How a board under a group keeps what its transfers occupy: one resource per orbit, whose rows are gathered for each
// image, or all resources, each with a row of its own. The second is faster where transfers have few images, and takes more memory.

/// Limits for a board with rows for all resources: the order of the group, the order times the
/// longest path, and the cells.
const MOST_IMAGES: usize = 128;
const MOST_USES: usize = 10_000;
const MOST_CELLS: usize = 1 << 23;

/// The group of a board.
#[derive(Clone, Debug, Default)]
enum Symmetry {
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
struct All {
    images: Arc<Images>,
    /// By resource and element.
    resources: Vec<ResourceId>,
}

impl Symmetry {
    /// The way that suits a group, for all resources with this number of cells, and a longest path.
    fn of(images: &Arc<Images>, cells: usize, longest: usize) -> Self {
        let order = images.order();
        if order > MOST_IMAGES || order * longest > MOST_USES || cells > MOST_CELLS {
            return Symmetry::Quotient(images.clone());
        }
        Symmetry::All(Arc::new(All { resources: images.resources(), images: images.clone() }))
    }

    /// Whether the board has one resource of every orbit.
    fn is_quotient(&self) -> bool {
        matches!(self, Symmetry::Quotient(_))
    }

    /// Calls `act` on the cells that no transfer can use, because it would share them with an image of its own.
    fn fixed_cells(&self, mut act: impl FnMut(u32, u32)) {
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
    fn images(&self, resource: ResourceId, step: u32) -> impl Iterator<Item = (ResourceId, u32)> {
        let order = self.images.order();
        let resources = self.resources[resource as usize * order..][..order].iter();
        resources.enumerate().map(move |(g, &image)| (image, self.images.step(g, step)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Board, *};
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
