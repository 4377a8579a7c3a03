//! Colours of items such that no resource has two items of one colour, by ejection: a waiting item
//! takes the colour whose owners are cheapest, they wait again, and the price of an item is the
//! number of times that it displaced others. Between, random items move to free colours.

use super::Dice;

/// Items moved at random after each placement.
const MOVES: usize = 4;
/// Placements per item before the search gives up.
const EFFORT: usize = 4000;
/// No colour, or no owner.
const NONE: usize = usize::MAX;

/// The colours of items, each given by the resources that it uses; none if the search fails.
pub fn colours(items: &[Vec<usize>], colours: usize, dice: &mut Dice<'_>) -> Option<Vec<usize>> {
    let resources = items.iter().flatten().max().map_or(0, |r| r + 1);
    let mut colouring = Colouring {
        items,
        owner: vec![vec![NONE; colours]; resources],
        colour: vec![NONE; items.len()],
        waiting: (0..items.len()).collect(),
        price: vec![1; items.len()],
    };
    for _ in 0..EFFORT * items.len() {
        if colouring.waiting.is_empty() {
            return Some(colouring.colour);
        }
        colouring.place(dice);
        for _ in 0..MOVES {
            colouring.relocate(dice(items.len()), dice(colours));
        }
    }
    None
}

struct Colouring<'i> {
    items: &'i [Vec<usize>],
    /// By resource and colour.
    owner: Vec<Vec<usize>>,
    colour: Vec<usize>,
    waiting: Vec<usize>,
    price: Vec<u64>,
}

impl Colouring<'_> {
    /// Gives a waiting item the colour that displaces the cheapest others.
    fn place(&mut self, dice: &mut Dice<'_>) {
        let item = self.waiting.swap_remove(dice(self.waiting.len()));
        let (mut least, mut ties, mut best) = (u64::MAX, 0, 0);
        for colour in 0..self.owner.first().map_or(0, Vec::len) {
            let cost = self.cost(item, colour);
            if cost < least {
                (least, ties) = (cost, 0);
            }
            ties += usize::from(cost == least);
            if cost == least && dice(ties) == 0 {
                best = colour;
            }
        }
        self.price[item] += u64::from(least > 0);
        for i in 0..self.items[item].len() {
            let other = self.owner[self.items[item][i]][best];
            if other != NONE {
                self.set(other, NONE);
                self.waiting.push(other);
            }
        }
        self.set(item, best);
    }

    /// The prices of the items in the way.
    fn cost(&self, item: usize, colour: usize) -> u64 {
        let owners = self.items[item].iter().map(|&resource| self.owner[resource][colour]);
        owners.filter(|&other| other != NONE).map(|other| self.price[other]).sum()
    }

    /// Moves an item to another colour if that is free.
    fn relocate(&mut self, item: usize, colour: usize) {
        if self.colour[item] != NONE && self.cost(item, colour) == 0 {
            self.set(item, colour);
        }
    }

    fn set(&mut self, item: usize, colour: usize) {
        let old = std::mem::replace(&mut self.colour[item], colour);
        for &resource in &self.items[item] {
            if old != NONE {
                self.owner[resource][old] = NONE;
            }
            if colour != NONE {
                self.owner[resource][colour] = item;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn items_of_one_resource_differ() {
        let mut rng = ccsched_base::rng::rng_of(1, 0, 0);
        // The cells of a Latin square: by row, column, and the two diagonals' sum.
        for size in 2..9 {
            let cells = (0..size).flat_map(|x| (0..size).map(move |y| (x, y)));
            let items: Vec<Vec<usize>> = cells.map(|(x, y)| vec![x, size + y]).collect();
            let found = colours(&items, size, &mut |k| rng.random_range(0..k)).unwrap();
            for (i, item) in items.iter().enumerate() {
                assert!(found[i] < size);
                for j in (0..i).filter(|&j| found[j] == found[i]) {
                    assert!(item.iter().all(|resource| !items[j].contains(resource)));
                }
            }
        }
        let items = vec![vec![0], vec![0], vec![0]];
        assert_eq!(colours(&items, 2, &mut |k| rng.random_range(0..k)), None);
    }
}
