// The interval of a series: the median of some of the distances between its samples.

/** The number of examined distances, spread evenly over all of them. */
export const DISTANCES: u32 = 31;

/** The number of examined distances between `last + 1` samples. */
@inline export function lookedAt(last: u32): u32 { return min(last, DISTANCES); }

/** The sample at which the examined distance `k` of `count` begins. */
@inline export function lookedFrom(k: u32, last: u32, count: u32): u32 {
  return <u32>(<u64>k * last / count);
}

/** A gap is longer than so many intervals. */
const GAP_INTERVALS: f64 = 2.5;
/** Samples that are further apart than an hour, and some, are no series of one interval. */
const LONGEST_INTERVAL_MS: f64 = 4200000;
/** Fewer samples may show a gap as the interval. */
const ENOUGH_SAMPLES: u32 = 4;

/** Whether `samples` tell their interval. */
@inline export function tellInterval(samples: u32): bool { return samples >= ENOUGH_SAMPLES; }

/**
 * The longest distance of samples that is no gap: gapMs, or more where the interval is long.
 * @param scratch room for DISTANCES f64
 */
export function longestStep(times: u32, samples: u32, gapMs: f64, scratch: u32): f64 {
  if (!tellInterval(samples)) return gapMs;
  const spanMs = load<f64>(times + ((samples - 1) << 3)) - load<f64>(times);
  // So close on average that no median would tell more.
  if (spanMs * GAP_INTERVALS <= gapMs * <f64>(samples - 1) / 2) return gapMs;
  const interval = medianInterval(times, samples - 1, scratch);
  return interval <= LONGEST_INTERVAL_MS ? max(gapMs, GAP_INTERVALS * interval) : gapMs;
}

/**
 * The median distance of the samples 0..last, with f64 times at `times`; NaN for a single sample.
 * @param sorted room for DISTANCES f64
 */
export function medianInterval(times: u32, last: u32, sorted: u32): f64 {
  if (last == 0) return NaN;
  const count = lookedAt(last);
  for (let k: u32 = 0; k < count; k++) {
    const i = times + (lookedFrom(k, last, count) << 3);
    const distance = load<f64>(i, 8) - load<f64>(i);
    let at = k;
    while (at > 0 && load<f64>(sorted + ((at - 1) << 3)) > distance) {
      store<f64>(sorted + (at << 3), load<f64>(sorted + ((at - 1) << 3)));
      at--;
    }
    store<f64>(sorted + (at << 3), distance);
  }
  return load<f64>(sorted + ((count >> 1) << 3));
}
