/** What is asked of stored days: paths, and bodies worked out from the generator's rows. */
import { BodyWriter } from './bodies.ts';
import type { Day } from './days.ts';
import { ExpectedBodies, type Asked, type WrittenFormat } from './expected-body.ts';
import { AGGREGATES } from './expected-rows.ts';
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

/** Queries of one day and of all whose bodies are worked out. */
export function writtenQuestions(days: readonly Day[], folder: string): Question[] {
  const written = new WrittenQuestions(days, folder);
  const formats = Object.keys(FORMATS) as WrittenFormat[];
  const ofDay = AGGREGATES.flatMap((aggregate) =>
    formats.map((format) => written.make({ aggregate, format, isAccumulated: false }, 0, 1)),
  );
  const ofAll = OF_ALL_DAYS.map((asked) => written.make(asked, 0, days.length));
  return [...ofDay, ...ofAll];
}

const OF_ALL_DAYS: readonly Asked[] = [
  { aggregate: 'pod', format: 'json', isAccumulated: false },
  { aggregate: 'pod', format: 'csv', isAccumulated: true },
  { aggregate: 'controller', format: 'csv-full', isAccumulated: false },
  { aggregate: 'label:app', format: 'json', isAccumulated: true },
  { aggregate: 'namespace', format: 'ndjson', isAccumulated: false },
  { aggregate: 'none', format: 'ndjson', isAccumulated: true },
];

/** What is asked beside that, of any stored days. @param route to the window's end */
export function furtherPaths(window: string): string[] {
  const of = (route: string, rest: string): string => `/model/${route}?window=${window}${rest}`;
  return [
    ...[0, 20, 5000].map((at) => of('allocation', `&aggregate=pod&limit=20&offset=${at}`)),
    of('allocation', '&limit=1000&offset=500'),
    of('allocation', '&limit=3000&sortBy=name&sortByOrder=asc&format=ndjson'),
    of('allocation', '&aggregate=pod&shareIdle=true'),
    of('allocation', '&aggregate=pod&shareIdle=true&idleByNode=true&format=csv&accumulate=true'),
    of('allocation', '&aggregate=controller&splitIdle=true&idleByNode=true'),
    of('allocation', '&aggregate=pod&idle=false&format=ndjson'),
    of(
      'allocation',
      '&aggregate=namespace,label:app&shareCost=3000&includeSharedCostBreakdown=true',
    ),
    of('allocation', '&aggregate=controller&shareNamespaces=team-0,kube-system&accumulate=true'),
    of('allocation', '&aggregate=container&filterNamespaces=team-1,team-2,kube-system'),
    of('allocation', '&filter=namespace!:%22team-3%22&format=csv&columns=full&accumulate=false'),
    of('allocation', '&aggregate=pod&format=arrow'),
    of('allocation', '&format=arrow'),
    of('allocation', '&aggregate=service&accumulate=true'),
    of('allocation/summary', '&aggregate=pod'),
    of('allocation/summary', '&aggregate=controller&format=ndjson'),
    of('allocation/summary', '&format=csv&accumulate=true'),
    of('allocation/summary/topline', ''),
    of('allocation/autocomplete', '&field=pod&search=service'),
  ];
}

/** What only the demo's days have, and what is computed of its store. */
export function demoPaths(days: number): string[] {
  return [
    ...furtherPaths(`${days}d`),
    `/model/allocation?window=${days}d&aggregate=pod`,
    `/model/allocation?window=${days}d`,
    `/model/allocation?window=${days}d&aggregate=namespace&accumulate=true`,
    `/model/allocation?window=${days}d&format=csv&columns=full&accumulate=false`,
    `/model/assets?window=${days}d`,
    `/assets?window=${days}d&accumulate=true`,
    `/model/savings/requestSizingV2?window=${days}d`,
    `/model/cloudCost?window=${days}d&aggregate=service,invoiceEntityID`,
    `/model/cloudCost?window=${days}d&accumulate=day`,
    `/model/customCost/total?window=${days}d`,
    `/model/customCost/timeseries?window=${days}d`,
    `/model/allocation?window=${days}d&aggregate=namespace&external=true`,
    '/allocation/compute?window=6h&aggregate=pod&resolution=10m',
    '/allocation/compute?window=1d&step=6h&aggregate=namespace&includeIdle=true&resolution=10m',
  ];
}
