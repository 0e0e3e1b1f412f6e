/** What is asked of stored days: paths, and bodies worked out from the generator's rows. */
import { BodyWriter } from './bodies.ts';
import type { Day } from './days.ts';
import { ExpectedBodies, type Asked, type WrittenFormat } from './expected-body.ts';
import type { Question } from './judge.ts';

const FORMATS: Readonly<Record<WrittenFormat, readonly [query: string, contentType: string]>> = {
  json: ['format=json', 'application/json'],
  ndjson: ['format=ndjson', 'application/x-ndjson'],
  csv: ['format=csv', 'text/csv; charset=utf-8'],
  'csv-full': ['format=csv&columns=full', 'text/csv; charset=utf-8'],
};
const PIECE_CHARACTERS = 1 << 20;

/** Makes questions about some days; bodies go into files of a folder. */
export class WrittenQuestions {
  readonly #bodies: ExpectedBodies;
  readonly #folder: string;
  readonly #days: readonly Day[];
  #made = 0;

  /** @param days oldest first */
  constructor(days: readonly Day[], folder: string) {
    this.#days = days;
    this.#folder = folder;
    this.#bodies = new ExpectedBodies(days);
  }

  /** @param count of days, from the first */
  make(asked: Asked, first: number, count: number): Question {
    const { aggregate, format, isAccumulated } = asked;
    const [query, contentType] = FORMATS[format];
    const keys = aggregate === 'none' ? '' : `&aggregate=${aggregate}`;
    const path = `${pathOf(this.#days.slice(first, first + count))}${keys}&${query}&accumulate=${isAccumulated}`;
    const writer = new BodyWriter(this.#folder, `written-${this.#made++}`);
    let piece = '';
    for (const text of this.#bodies.body(asked, first, count)) {
      piece += text;
      if (piece.length < PIECE_CHARACTERS) continue;
      writer.add(Buffer.from(piece));
      piece = '';
    }
    writer.add(Buffer.from(piece));
    return { path, contentType, body: writer.end() };
  }
}

/** The allocation query of some days that follow one another. */
export function pathOf(days: readonly Day[], route: string = '/model/allocation'): string {
  const [start, end] = [days[0]?.startMs, days.at(-1)?.endMs].map((ms = NaN) =>
    new Date(ms).toISOString(),
  );
  return `${route}?window=${start},${end}`;
}
