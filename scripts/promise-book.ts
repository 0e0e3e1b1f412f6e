/** Which promises tests hold, and what they measured, as the gate prints it at its end. */
import { figureOf } from '../test/support/measured.ts';
import { idsIn, type Promised } from '../test/support/promises.ts';
import type { TestEvent } from './run-tests.ts';

interface Held {
  passed: number;
  failed: number;
  skipped: number;
  readonly figures: Set<string>;
}

const FIGURES_MAX = 3;

export class PromiseBook {
  readonly #promises: readonly Promised[];
  readonly #held: ReadonlyMap<string, Held>;
  readonly #strangers: Set<string> = new Set();

  constructor(promises: readonly Promised[]) {
    this.#promises = promises;
    this.#held = new Map(
      promises.map(({ id }) => [id, { passed: 0, failed: 0, skipped: 0, figures: new Set() }]),
    );
  }

  readonly hear: (event: TestEvent) => void = ({ type, data }) => {
    if (type === 'test:diagnostic') this.#measure(data.message ?? '');
    if (type !== 'test:pass' && type !== 'test:fail') return;
    for (const id of idsIn(data.name ?? '')) {
      const held = this.#of(id);
      if (held === undefined) continue;
      if (data.skip !== undefined && data.skip !== false) held.skipped++;
      else if (type === 'test:pass') held.passed++;
      else held.failed++;
    }
  };

  /** A sentence for each promise that is not held, none where all are. */
  get breaks(): string[] {
    const strangers = [...this.#strangers].map((id) => `${id} is named by a test, and no promise`);
    return [...this.#promises.flatMap((promise) => this.#breakOf(promise)), ...strangers];
  }

  /** A line a promise. */
  get table(): string {
    const lines = this.#promises.map((promise) => {
      const held = this.#held.get(promise.id);
      const measured = [...(held?.figures ?? [])];
      const more =
        measured.length > FIGURES_MAX ? `; and ${measured.length - FIGURES_MAX} more` : '';
      const told = `${measured.slice(0, FIGURES_MAX).join('; ')}${more}`;
      const figure = promise.figure === undefined ? '' : ` [${promise.figure}]`;
      const result = told === '' ? '' : `\n${' '.repeat(34)}measured: ${told}`;
      const state = this.#stateOf(promise);
      return `  ${promise.id.padEnd(9)} ${state.padEnd(20)}  ${promise.says}${figure}${result}\n`;
    });
    return `\npromises, the figure promised [in brackets], and what was measured here:\n${lines.join('')}`;
  }

  #stateOf(promise: Promised): string {
    const { passed = 0, skipped = 0 } = this.#held.get(promise.id) ?? {};
    if (this.#breakOf(promise).length > 0) return 'BROKEN';
    if (passed > 0) return `held by ${passed} ${passed === 1 ? 'test' : 'tests'}`;
    return skipped > 0 ? 'skipped here' : `not yet: ${promise.later ?? ''}`;
  }

  #breakOf({ id, figure, later }: Promised): string[] {
    const { passed = 0, failed = 0, skipped = 0, figures } = this.#held.get(id) ?? {};
    if (failed > 0) return [`${id}: ${failed} of its tests failed`];
    if (passed === 0 && skipped === 0)
      return later === undefined ? [`${id}: no test holds it`] : [];
    const isUntold = figure !== undefined && passed > 0 && skipped === 0 && figures?.size === 0;
    return isUntold ? [`${id}: no test tells what it measured beside '${figure}'`] : [];
  }

  #measure(message: string): void {
    const told = figureOf(message);
    if (told !== undefined) this.#of(told.id)?.figures.add(told.figure);
  }

  #of(id: string): Held | undefined {
    const held = this.#held.get(id);
    if (held === undefined) this.#strangers.add(id);
    return held;
  }
}
