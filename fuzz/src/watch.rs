//! What a reader may take: 2 seconds of CPU, and memory of 50 times the input and 64 MB. More of
//! either is a panic, which libFuzzer saves with its input.

#![forbid(unsafe_code)]

use crate::targets::Target;
use cpu_time::ThreadTime;
use peak_alloc::PeakAlloc;
use std::time::Duration;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes of memory for each byte of input.
const PER_BYTE: usize = 50;
/// Time of an input on one core, whatever else the machine does.
const TIME: Duration = Duration::from_secs(2);

/// Reads an input with a target.
pub fn watched(target: &Target, data: &[u8]) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let begun = ThreadTime::now();
    (target.read)(data);
    let (time, most) = (begun.elapsed(), MEMORY.peak_usage().saturating_sub(before));
    assert!(time <= TIME, "{}: {:.1} s for {} bytes", target.name, time.as_secs_f64(), data.len());
    let allowed = target.memory + PER_BYTE * data.len();
    assert!(most <= allowed, "{}: {most} bytes of memory for {} bytes", target.name, data.len());
}
