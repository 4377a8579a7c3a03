//! Work whose panic ends that work alone. What panicked, and where, is returned and not printed: the caller reports it
//! in one line.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// The last panic that was.
    static LAST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs some work. After a panic nothing that the work has changed may be used.
///
/// # Errors
/// It panics: the message, and its place in the source.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    heed();
    let before = IS_CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    result.map_err(|_| LAST.take().unwrap_or_else(|| "on a thread of its own".into()))
}

/// Whether panics of this thread are caught.
pub fn is_caught() -> bool {
    IS_CAUGHT.get()
}

/// Marks a thread that works for another one, whose panics are caught or not.
pub fn mark(is_caught: bool) {
    IS_CAUGHT.set(is_caught);
}

/// Panics that are not caught go to the hook that was there before, which may end the program.
fn heed() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if is_caught() {
                let said = info.to_string().replace('\n', " ");
                LAST.replace(Some(said));
            } else {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told() {
        assert_eq!(caught(|| 7), Ok(7));
        let why = caught(|| panic!("the reactor\nis on fire")).unwrap_err();
        assert!(why.contains("the reactor is on fire") && why.contains("caught.rs"), "{why}");
        assert!(!is_caught());
        let inner = caught(|| (caught(|| panic!("inside")).is_err(), is_caught()));
        assert_eq!(inner, Ok((true, true)));
    }
}
