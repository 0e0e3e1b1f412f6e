/** How one request went, as it is read: what is refused for good, and why. */
import { labelTexts } from './label-bytes.ts';

const EXAMPLE_CHARACTERS = 200;

/** Why a sample is refused for good, by a name that figures have. */
export const REFUSALS = {
  labels: 'labels that no series can have',
  tooNew: 'a time more than 10 minutes ahead',
  tooOld: 'a time before what is still accepted',
  outOfOrder: 'a time before what is still accepted out of order',
  otherValue: 'a time that has another value already',
} as const;

export type Refusal = keyof typeof REFUSALS;

export class Tally {
  /** Accepted: those that were there already among them. */
  samples: number = 0;
  /** Samples that were refused for good. */
  readonly refused: Map<Refusal, number> = new Map();
  histograms: number = 0;
  exemplars: number = 0;
  /** Samples of series for which there is no room now. */
  withoutRoom: number = 0;
  /** The first of each. */
  readonly #examples = new Map<Refusal, string>();

  refuse(refusal: Refusal, example: () => string): void {
    const before = this.refused.get(refusal) ?? 0;
    this.refused.set(refusal, before + 1);
    if (before === 0) this.#examples.set(refusal, example());
  }

  /** Samples of all series, whatever became of them. */
  get all(): number {
    let refused = 0;
    for (const count of this.refused.values()) refused += count;
    return this.samples + refused + this.withoutRoom;
  }

  get reasons(): string[] {
    return [...this.refused].map(([refusal, count]) => {
      const samples = count === 1 ? '1 sample' : `${count} samples`;
      return `${samples} with ${REFUSALS[refusal]}, such as ${this.#examples.get(refusal) ?? ''}`;
    });
  }
}

/** A series as Prometheus writes it, cut to a line. */
export function exampleOf(labels: Uint8Array): string {
  try {
    const { __name__: name = '', ...others } = labelTexts(labels);
    const pairs = Object.entries(others).map(
      ([label, value]) => `${label}=${JSON.stringify(value)}`,
    );
    return `${name}{${pairs.join(', ')}}`.slice(0, EXAMPLE_CHARACTERS);
  } catch {
    return 'a series whose labels cannot be read';
  }
}
