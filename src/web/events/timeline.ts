/** A time line: spans of equal length, with what came above the line and what went below it. */
import { tallyOf, type Change, type Tally } from './events.ts';

export interface Bin {
  readonly startMs: number;
  readonly endMs: number;
  readonly came: Tally;
  readonly went: Tally;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Lengths that people count in. */
const STEPS_MS: readonly number[] = [
  10 * SECOND_MS,
  30 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
  30 * DAY_MS,
];

/**
 * Spans from start to end, oldest first, empty ones among them; each begins at a multiple of its length.
 * @param most at most so many
 */
export function binsOf(
  changes: readonly Change[],
  startMs: number,
  endMs: number,
  most: number,
): Bin[] {
  const countOf = (stepMs: number): number =>
    Math.floor(Math.max(0, endMs - 1 - startMs + (startMs % stepMs)) / stepMs) + 1;
  const stepMs =
    STEPS_MS.find((step) => countOf(step) <= most) ??
    DAY_MS * Math.ceil((endMs - startMs) / DAY_MS / Math.max(1, most - 1));
  const firstMs = startMs - (startMs % stepMs);
  const own: Change[][] = Array.from({ length: countOf(stepMs) }, () => []);
  for (const change of changes) own[Math.floor((change.atMs - firstMs) / stepMs)]?.push(change);
  return own.map((each, at) => ({
    startMs: firstMs + at * stepMs,
    endMs: firstMs + (at + 1) * stepMs,
    came: tallyOf(each, true),
    went: tallyOf(each, false),
  }));
}

interface Mark {
  readonly y: number;
  readonly height: number;
}

export interface Placed {
  readonly bin: Bin;
  readonly x: number;
  readonly width: number;
  /** Absent where nothing came. */
  readonly came?: Mark;
  readonly went?: Mark;
}

export interface Timeline {
  /** Spans with changes alone. */
  readonly placed: readonly Placed[];
  /** The line between what came and what went. */
  readonly zeroY: number;
  readonly height: number;
}

/** What has no price, or hardly one, is still seen. */
const LEAST = 3;
/** Less is no money, USD. */
const CENTS = 0.005;

export function timelineOf(bins: readonly Bin[], width: number, height: number): Timeline {
  const most = (tallies: readonly Tally[]): number =>
    Math.max(0, ...tallies.map(({ usdPerMonth }) => Math.abs(usdPerMonth)));
  const [up, down] = [most(bins.map(({ came }) => came)), most(bins.map(({ went }) => went))];
  const room = height - 2 * LEAST;
  const perUsd = up + down < CENTS ? 0 : room / (up + down);
  const zeroY = LEAST + (perUsd === 0 ? room / 2 : up * perUsd);
  const step = width / bins.length;
  const placed = bins.flatMap((bin, at): Placed[] => {
    const { came, went } = bin;
    if (came.count + went.count === 0) return [];
    const lengthOf = ({ usdPerMonth }: Tally): number =>
      Math.max(LEAST, Math.abs(usdPerMonth) * perUsd);
    const [above, below] = [lengthOf(came), lengthOf(went)];
    return [
      {
        bin,
        x: at * step,
        width: Math.max(1, Math.min(step - 1, 48)),
        ...(came.count === 0 ? {} : { came: { y: zeroY - above, height: above } }),
        ...(went.count === 0 ? {} : { went: { y: zeroY, height: below } }),
      },
    ];
  });
  return { placed, zeroY, height };
}

/** Places of bins that have a label below: as many as there is room for, evenly. @param labelWidth px */
export function labelled(count: number, width: number, labelWidth: number): number[] {
  const room = Math.max(1, Math.floor(width / labelWidth));
  const every = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: Math.ceil(count / every) }, (_, at) => at * every);
}
