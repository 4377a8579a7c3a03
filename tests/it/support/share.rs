//! Tests that try much: a part of it in `make test`, all of it in `make test-long`.

/// Whether everything is tried.
pub fn tries_all() -> bool {
    std::env::var_os("CCSCHED_LONG").is_some()
}

/// This number of random cases, or a quarter of it.
pub fn share(cases: usize) -> usize {
    if tries_all() { cases } else { cases.div_ceil(4) }
}

/// All cases of a list, or each third, beginning with the first.
pub fn some<T>(cases: &[T]) -> impl Iterator<Item = &T> {
    cases.iter().step_by(if tries_all() { 1 } else { 3 })
}
