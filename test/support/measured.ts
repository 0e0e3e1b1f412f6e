import type { TestContext } from 'node:test';

/** How the figure of a promise is told to the runner, which prints it beside the one promised. */
const TOLD = /^measured ([PS]-[A-Z]*\d*): (.+)$/;

/** Tells what a test measured of a promise of `test/support/promises.ts`. */
export function measured(test: TestContext, id: string, figure: string): void {
  test.diagnostic(`measured ${id}: ${figure}`);
}

/** @returns undefined for what tests say besides */
export function figureOf(message: string): { readonly id: string; figure: string } | undefined {
  const [, id, figure] = TOLD.exec(message) ?? [];
  return id === undefined || figure === undefined ? undefined : { id, figure };
}
