// What samples say was used: counters that fall or jump, by resets and faults of single samples, and
// metrics in other units.

import { capacityAt } from "./sums";
import { Meter, PLAUSIBLE } from "./tables";
import { SeriesCursor } from "../decode/series";

/** A sample below its predecessor that is no reset. */
export const DIPPED: f64 = -1;
/** A sample so far above its predecessor that nothing can have used as much. */
export const JUMPED: f64 = -2;

/** The rate of a counter that has come to `v` in `dt`, DIPPED or JUMPED. */
export function rateOf(m: Meter, v: f64, dt: f64): f64 {
  const most = PLAUSIBLE * capacityAt(m, m.lastMs) * dt / 1000;
  let used = v - m.lastValue;
  if (used >= 0 && used <= most) return used * 1000 / dt;
  if (used >= 0) {
    // It is where it was before it fell: it was not reset, and what it showed meanwhile has been added.
    used = max(0, v - m.fallenFrom - m.lastValue);
    m.risenFrom = m.lastValue;
    if (!(v >= m.fallenFrom && used <= most)) return JUMPED;
    m.fallenFrom = NaN;
  } else if (v >= m.risenFrom && v - m.risenFrom <= most) {
    used = v - m.risenFrom; // it is back from a jump
    // Or it rose back from a dip, and this is the next: it may be where it was again. Only what it
    // shows beyond the dip before has been added.
    m.fallenFrom = m.lastValue - m.risenFrom;
    m.risenFrom = NaN;
  } else {
    // A counter that was reset began at zero: what it has now was used since.
    used = v;
    if (used > most || v > m.lastValue / 2) return DIPPED;
    m.fallenFrom = m.lastValue;
    m.wasReset = 1;
  }
  return used * 1000 / dt;
}

/** Once for each piece, as soon as it is decoded. */
export function scaleValues(c: SeriesCursor, scale: f64): void {
  for (let i: u32 = 0; i < c.samples; i++) {
    const at = c.values + (i << 3);
    const v = load<f64>(at);
    // A marker of an end is a NaN of certain bits.
    if (v == v) store<f64>(at, v * scale);
  }
}
