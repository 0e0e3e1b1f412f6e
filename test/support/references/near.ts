import assert from 'node:assert/strict';

/** Equal to 1e-12 of what is expected; below 1e-300 numbers have too few digits to tell. */
export function assertNear(actual: number, expected: number): void {
  const error = Math.abs(actual - expected);
  assert.ok(error <= 1e-12 * Math.abs(expected) + 1e-300, `${actual} is not near ${expected}`);
}
