/**
 * Usage of a resource as a function of time whose integral is known in closed form: steady, a wave, or
 * a burst in each period.
 *
 *     steady ─────────    wave ╱╲  ╱╲      burst ┌┐  ┌┐
 *                              ╱  ╲╱  ╲          ─┘└──┘└──
 */

/** Every curve is periodic, or steady with any period. */
export interface UsageCurve {
  readonly at: (timeMs: number) => number;
  /** The integral of max(usage − floor, 0) from 0 on, in units × ms. */
  readonly sum: (timeMs: number, floor: number) => number;
  readonly most: number;
  /** How much it goes up and down in a period, all added up. */
  readonly variation: number;
  readonly periodMs: number;
}

export function steady(level: number): UsageCurve {
  return {
    at: () => level,
    sum: (timeMs, floor) => timeMs * Math.max(0, level - floor),
    most: level,
    variation: 0,
    periodMs: 60_000,
  };
}

/** `low` and `high` in turn: high for the first `share` of each period. */
export function burst(low: number, high: number, periodMs: number, share: number): UsageCurve {
  const highMs = share * periodMs;
  const at = (timeMs: number): number => (within(timeMs, periodMs) < highMs ? high : low);
  return {
    at,
    sum: (timeMs, floor) => {
      const [above, below] = [Math.max(0, high - floor), Math.max(0, low - floor)];
      const rest = within(timeMs, periodMs);
      const whole = Math.floor(timeMs / periodMs) * (above * highMs + below * (periodMs - highMs));
      return whole + above * Math.min(rest, highMs) + below * Math.max(0, rest - highMs);
    },
    most: high,
    variation: 2 * (high - low),
    periodMs,
  };
}

/** A sine around `middle`, which begins at its lowest. */
export function wave(middle: number, swing: number, periodMs: number): UsageCurve {
  const angle = (timeMs: number): number => (2 * Math.PI * timeMs) / periodMs - Math.PI / 2;
  const at = (timeMs: number): number => middle + swing * Math.sin(angle(within(timeMs, periodMs)));
  return {
    at,
    sum: (timeMs, floor) => {
      // It is above the floor from an angle a to π − a of each period, which begins at −π/2.
      const from = Math.asin(Math.min(1, Math.max(-1, (floor - middle) / swing)));
      const upTo = (to: number): number => {
        const until = Math.min(Math.PI - from, Math.max(from, to));
        const area = (middle - floor) * (until - from);
        return area + swing * (Math.cos(from) - Math.cos(until));
      };
      // Below its lowest point there is more than the arc: what is between floor and lowest.
      const under = Math.max(0, middle - swing - floor);
      const base = floor + under;
      if (under > 0) return timeMs * under + wave(middle, swing, periodMs).sum(timeMs, base);
      const wholes = Math.floor(timeMs / periodMs);
      const sum = wholes * upTo(1.5 * Math.PI) + upTo(angle(within(timeMs, periodMs)));
      return (sum * periodMs) / (2 * Math.PI);
    },
    most: middle + swing,
    variation: 4 * swing,
    periodMs,
  };
}

/** The integral between two times of what is above the floor, in units × ms. */
export function integral(
  { sum, periodMs }: UsageCurve,
  fromMs: number,
  untilMs: number,
  floor: number = 0,
): number {
  if (untilMs <= fromMs) return 0;
  // Of Unix time the sums would be so large that their difference loses digits.
  const originMs = fromMs - within(fromMs, periodMs);
  return sum(untilMs - originMs, floor) - sum(fromMs - originMs, floor);
}

/** How much it goes up and down between two times, at most. */
export function variationBetween(curve: UsageCurve, fromMs: number, untilMs: number): number {
  return curve.variation * (Math.max(0, untilMs - fromMs) / curve.periodMs + 1);
}

function within(timeMs: number, periodMs: number): number {
  return timeMs - Math.floor(timeMs / periodMs) * periodMs;
}
