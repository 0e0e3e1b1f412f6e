/** Where stacked bars and their axis lie: money up, idle down where it stands apart. */

export interface BarBox {
  readonly width: number;
  readonly height: number;
  /** Room for the numbers of the axis. */
  readonly left: number;
}

export interface BarScale {
  /** The left edge of a bar. */
  readonly x: (index: number) => number;
  readonly barWidth: number;
  /** Where an amount lies above the axis; below it is negative. */
  readonly y: (usd: number) => number;
  readonly ticks: readonly number[];
}

/** Round steps, at most `most` of them, from the least to the largest amount. */
export function ticksOf(least: number, largest: number, most: number): number[] {
  const range = largest - least;
  if (!(range > 0)) return [0];
  const rough = range / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10);
  const first = Math.ceil(least / step);
  const count = Math.floor(largest / step) - first + 1;
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

/** Wider ones look like areas. */
const BAR_MOST = 120;

/** @param most the tallest stack @param below the deepest, as a positive amount */
export function scaleOf(
  { width, height, left }: BarBox,
  count: number,
  most: number,
  below: number,
): BarScale {
  const ticks = ticksOf(-below, most, 5);
  const range = most + below;
  const perUsd = range > 0 ? height / range : 0;
  const room = (width - left) / Math.max(1, count);
  const gap = room > 6 ? room * 0.25 : room > 2 ? 1 : 0;
  const barWidth = Math.min(BAR_MOST, room - gap);
  return {
    x: (index) => left + index * room + (room - barWidth) / 2,
    barWidth,
    y: (usd) => (most - usd) * perUsd,
    ticks,
  };
}

/** One path for all bars of a name, each on those before: however many bars, a stack is one mark. */
export function stackPaths(
  costs: readonly ArrayLike<number>[],
  { x, y, barWidth }: Pick<BarScale, 'x' | 'y' | 'barWidth'>,
): string[] {
  const count = costs[0]?.length ?? 0;
  const base = new Float64Array(count);
  return costs.map((own) => {
    let path = '';
    for (let index = 0; index < count; index++) {
      const from = base[index] ?? 0;
      const to = from + Math.max(0, own[index] ?? 0);
      base[index] = to;
      if (to > from) path += rect(x(index), y(to), barWidth, y(from) - y(to));
    }
    return path;
  });
}

/** One path for a part of each stack, which lies at its lower end. */
export function insidePath(
  costs: readonly ArrayLike<number>[],
  insides: readonly ArrayLike<number>[],
  { x, y, barWidth }: Pick<BarScale, 'x' | 'y' | 'barWidth'>,
): string {
  let path = '';
  for (let index = 0; index < (costs[0]?.length ?? 0); index++) {
    let base = 0;
    for (const [at, own] of costs.entries()) {
      const whole = Math.max(0, own[index] ?? 0);
      const part = Math.min(whole, Math.max(0, insides[at]?.[index] ?? 0));
      if (part > 0) path += rect(x(index), y(base + part), barWidth, y(base) - y(base + part));
      base += whole;
    }
  }
  return path;
}

export function rect(x: number, y: number, width: number, height: number): string {
  return `M${n(x)} ${n(y)}h${n(width)}v${n(height)}h${n(-width)}z`;
}

function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Which bars have a label: every one that has room, the last among them. */
export function labelled(count: number, room: number, labelWidth: number): number[] {
  const every = Math.max(1, Math.ceil(labelWidth / Math.max(1, room)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}

/** A line through values, from the oldest on, for a sparkline. */
export function linePath(costs: ArrayLike<number>, width: number, height: number): string {
  const count = costs.length;
  if (count < 2) return '';
  let most = 0;
  for (let at = 0; at < count; at++) most = Math.max(most, costs[at] ?? 0);
  if (most === 0) return '';
  let path = '';
  for (let at = 0; at < count; at++) {
    const x = (at / (count - 1)) * width;
    const y = height - ((costs[at] ?? 0) / most) * height;
    path += `${at === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`;
  }
  return path;
}
