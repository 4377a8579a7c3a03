//! Work on millions of items in parts, on as many threads as the machine has cores for this process.

use crate::caught::{is_caught, mark};
use std::num::NonZero;
use std::ops::Range;
use std::sync::{Mutex, mpsc};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Items for which one more thread is worth while.
const WORTH_A_THREAD: usize = 1 << 16;

/// Cores that this process may use.
pub fn available() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// By place, the sum of the sizes up to there, as [`parts`] needs it.
pub fn ends(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let add = |sum: &mut usize, size| {
        *sum += size;
        Some(*sum)
    };
    sizes.scan(0, add).collect()
}

/// Consecutive ranges that cover all numbers below `count`, one for each core that pays for these
/// items. `end(n)` is the number of items up to number `n`. Ranges have about equally many items.
pub fn parts(count: usize, end: impl Fn(usize) -> usize) -> Vec<Range<usize>> {
    let items = count.checked_sub(1).map_or(0, &end);
    let parts = (items / WORTH_A_THREAD).clamp(1, available());
    divided(count, end, parts)
}

/// The same for a number of parts.
fn divided(count: usize, end: impl Fn(usize) -> usize, parts: usize) -> Vec<Range<usize>> {
    let items = count.checked_sub(1).map_or(0, &end);
    let mut ranges = Vec::with_capacity(parts);
    let mut first = 0;
    for part in 1..=parts {
        let most = (items as u128 * part as u128 / parts as u128) as usize;
        let mut last = first;
        while last < count && (part == parts || end(last) <= most) {
            last += 1;
        }
        ranges.push(first..last);
        first = last;
    }
    ranges
}

/// Cuts a slice at the ends of its parts.
pub fn cut<T>(mut slice: &mut [T], ends: impl IntoIterator<Item = usize>) -> Vec<&mut [T]> {
    let mut before = 0;
    let cut = |end: usize| {
        let (part, rest) = std::mem::take(&mut slice).split_at_mut(end - before);
        (slice, before) = (rest, end);
        part
    };
    ends.into_iter().map(cut).collect()
}

/// Starts a thread. The work is boxed, because starting one is much code to compile for each closure.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: Box<dyn FnOnce() + Send + 'scope>,
) -> std::io::Result<ScopedJoinHandle<'scope, ()>> {
    thread::Builder::new().spawn_scoped(scope, work)
}

/// The results of two functions, which work at the same time.
///
/// # Panics
/// One of them does.
pub fn both<A, B: Send>(a: impl FnOnce() -> A, b: impl FnOnce() -> B + Send) -> (A, B) {
    let is_caught = is_caught();
    let mut made = None;
    let into = &mut made;
    let work = move || {
        mark(is_caught);
        *into = Some(b());
    };
    let a = thread::scope(|scope| {
        let b = start(scope, Box::new(work)).expect("a thread can be started");
        let a = a();
        b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        a
    });
    (a, made.expect("its thread has ended"))
}

/// Things made ahead of their use, at most.
const AHEAD: usize = 4;

/// Makes things by number, on another thread if they are several, some ahead of their use in this one, in order.
pub fn ahead<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync, mut take: impl FnMut(T)) {
    if count <= 1 {
        return (0..count).for_each(|number| take(make(number)));
    }
    let (send, made) = mpsc::sync_channel(AHEAD);
    thread::scope(|scope| {
        let (made_by, is_caught) = (&make, is_caught());
        // The things are no longer wanted if `take` panics.
        let make_all = move || {
            mark(is_caught);
            let _ = (0..count).map(made_by).try_for_each(|thing| send.send(thing));
        };
        match start(scope, Box::new(make_all)) {
            Ok(_) => made.iter().for_each(take),
            Err(_) => (0..count).for_each(|number| take(make(number))),
        }
    });
}

/// Works on all parts, on a thread each, but not on more threads than cores. Returns the results in the
/// order of the parts.
pub fn each<P: Send, R: Send>(parts: Vec<P>, work: impl Fn(P) -> R + Sync) -> Vec<R> {
    let threads = parts.len().min(available());
    let waiting = Mutex::new(parts.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.next();
    let take = || {
        while let Some((number, part)) = next() {
            let result = work(part);
            done.lock().expect("no thread panics with it").push((number, result));
        }
    };
    let is_caught = is_caught();
    let take_apart = || {
        mark(is_caught);
        take();
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be started, those that there are do all.
            if start(scope, Box::new(take_apart)).is_err() {
                break;
            }
        }
        take();
    });
    let mut done = done.into_inner().expect("no thread panics with it");
    done.sort_unstable_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_and_are_about_equal() {
        let ends = [10, 10, 11, 30, 40, 41, 60];
        for parts in 1..9 {
            let ranges = divided(ends.len(), |n| ends[n], parts);
            assert_eq!(ranges.len(), parts);
            let all: Vec<usize> = ranges.iter().cloned().flatten().collect();
            assert_eq!(all, [0, 1, 2, 3, 4, 5, 6], "{parts}");
        }
        assert_eq!(divided(ends.len(), |n| ends[n], 2), [0..4, 4..7]);
        assert_eq!(divided(0, |_| 0, 2), [0..0, 0..0]);
        assert_eq!(parts(3, |n| n + 1), std::slice::from_ref(&(0..3)));
    }

    #[test]
    fn things_made_ahead_come_in_order() {
        for count in [0, 1, AHEAD, 50] {
            let mut taken = Vec::new();
            ahead(count, |n| n * n, |square| taken.push(square));
            assert_eq!(taken, (0..count).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn results_come_in_the_order_of_their_parts() {
        let squares = each((0..100_u64).collect(), |n| n * n);
        assert_eq!(squares, (0..100).map(|n| n * n).collect::<Vec<u64>>());
        let mut digits = [0, 1, 2, 3, 4];
        let sums = each(cut(&mut digits, [2, 2, 5]), |part| {
            part.iter_mut().for_each(|n| *n += 1);
            part.iter().sum::<i32>()
        });
        assert_eq!((sums, digits), (vec![3, 0, 12], [1, 2, 3, 4, 5]));
    }
}
