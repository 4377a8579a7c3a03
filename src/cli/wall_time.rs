//! The end of a Slurm job as a time limit.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Slurm's variable for the end of the job, in seconds since 1970.
const JOB_END: &str = "SLURM_JOB_END_TIME";

/// The time left for a search: until its own limit or until `margin` before the end of the job,
/// whichever is earlier.
pub fn limit(own: Option<Duration>, margin: Duration) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = left(std::env::var(JOB_END).ok().as_deref(), now, margin);
    if let Some(left) = left.filter(|left| own.is_none_or(|own| *left < own)) {
        log::info!("the job ends soon: {} s are left for the search", left.as_secs());
        return Some(left);
    }
    own
}

/// Whether the search runs in a job that has an end.
pub fn is_in_job() -> bool {
    left(std::env::var(JOB_END).ok().as_deref(), Duration::ZERO, Duration::ZERO).is_some()
}

fn left(end: Option<&str>, now: Duration, margin: Duration) -> Option<Duration> {
    let end = Duration::from_secs(end?.trim().parse().ok()?);
    // For a job without an end, Slurm sets 0 or a time in the distant future.
    (end > Duration::ZERO).then(|| end.saturating_sub(now).saturating_sub(margin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_taken_off() {
        let [now, margin] = [1000, 60].map(Duration::from_secs);
        let left = |end| left(end, now, margin).map(|left| left.as_secs());
        assert_eq!(left(Some("1500")), Some(440));
        assert_eq!(left(Some("1030")), Some(0));
        assert_eq!(left(Some("900")), Some(0));
        assert_eq!((left(Some("0")), left(Some("never")), left(None)), (None, None, None));
    }
}
