/** Saved answers of a few rows, to be moved in. */

export const DAY_MS = 86_400_000;
/** 2026-01-14T00:00:00Z */
export const FIRST_MS: number = Date.UTC(2026, 0, 14);

/** A row of `cluster/node/namespace/pod/container` that costs `usd` of CPU. */
export function savedRow(window: object, usd: number, more: object = {}): object {
  return { window, cpuCoreHours: 24, cpuCost: usd, totalCost: usd, ...more };
}

/** A set of the rows, from `startMs` on. */
export function savedSet(
  startMs: number,
  usd: Readonly<Record<string, number>>,
  lengthMs: number = DAY_MS,
): Record<string, object> {
  const [start, end] = [startMs, startMs + lengthMs].map((ms) => new Date(ms).toISOString());
  return Object.fromEntries(
    Object.entries(usd).map(([name, cost]) => [name, savedRow({ start, end }, cost)]),
  );
}

export function savedAnswer(...sets: readonly unknown[]): string {
  return JSON.stringify({ code: 200, data: sets });
}
