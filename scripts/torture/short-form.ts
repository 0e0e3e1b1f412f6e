/**
 * The short form of the harness, for every gate: answers at the size at which memory that was freed
 * too early showed itself, first, again and beside others, at few and many workers and with little
 * memory.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEADY, type Reading } from './client.ts';
import { examine, type Question } from './judge.ts';
import { WrittenQuestions } from './questions.ts';
import { nameOf, Server, type ServerFlags } from './server.ts';
import { buildDemo, makeDays, referenceQuestions, type Store } from './stores.ts';
import { Tally } from './tally.ts';

export interface ShortOptions {
  /** The folder of the sources that bodies which are not worked out come from. */
  readonly referenceTree: string;
  /** Rows of the stored day. */
  readonly rows: number;
  readonly seed: number;
  readonly note: (line: string) => void;
}

/** What a store's server is asked: each question so often alone, then all of them at once. */
interface Trial {
  readonly flags: Pick<ServerFlags, 'workers' | 'frontEnd' | 'memoryLimit' | 'isBuilding'>;
  readonly repeats: number;
  /** With the least memory there is: who asks alone may be refused as well. */
  readonly isScarce?: boolean;
}

/**
 * One server of each store builds days beside its answers. That costs most of a server's time, so
 * the others only answer; all servers of the long form build.
 */
const DAYS_TRIALS: readonly Trial[] = [
  { flags: { workers: 2, frontEnd: 'uws', isBuilding: true }, repeats: 3 },
  {
    flags: { workers: 4, frontEnd: 'node', memoryLimit: '512Mi', isBuilding: false },
    repeats: 1,
  },
  {
    flags: { workers: 1, frontEnd: 'uws', memoryLimit: '174Mi', isBuilding: false },
    repeats: 1,
    isScarce: true,
  },
];
const DEMO_TRIALS: readonly Trial[] = [
  {
    flags: { workers: 2, frontEnd: 'uws', memoryLimit: '320Mi', isBuilding: true },
    repeats: 3,
  },
  {
    flags: { workers: 1, frontEnd: 'uws', memoryLimit: '174Mi', isBuilding: false },
    repeats: 2,
    isScarce: true,
  },
];
const DEMO_DAYS = 2;
const DEMO_PATHS: readonly string[] = [
  '/model/allocation?window=2d',
  '/model/allocation?window=2d&aggregate=pod',
  '/model/allocation?window=2d&aggregate=pod&shareIdle=true&limit=100&offset=50',
  '/model/allocation?window=2d&aggregate=controller&format=ndjson',
  '/model/allocation?window=2d&aggregate=label:app&format=csv&columns=full&accumulate=false',
  '/model/allocation?window=2d&aggregate=pod&format=arrow',
  '/model/allocation/summary?window=2d&aggregate=pod',
  '/model/assets?window=2d',
];

const PAUSING: Reading = { kind: 'pausing', pauses: [{ afterBytes: 3_000_000, ms: 700 }] };
const VANISHING: Reading = { kind: 'vanishing', pauses: [], leavesAfterBytes: 2_000_000 };

export interface TrialOptions {
  /** The folder of the sources whose bundle is tried. */
  readonly tree: string;
  readonly isChecked: boolean;
  /** Whether what comes after the first server with a fault is left out. */
  readonly stopsEarly: boolean;
  /** How often a question is repeated alone, at most; as each trial says where not given. */
  readonly repeatsMost?: number;
  readonly note: (line: string) => void;
}

/** Stores that sources can be tried on, again and again. */
export class ShortForm {
  readonly #folder: string;
  readonly #trials: readonly (readonly [Store, readonly Trial[]])[];
  /** What the reference itself did wrong. */
  readonly #wrongs: readonly string[];

  private constructor(
    folder: string,
    trials: readonly (readonly [Store, readonly Trial[]])[],
    wrongs: readonly string[],
  ) {
    this.#folder = folder;
    this.#trials = trials;
    this.#wrongs = wrongs;
  }

  static async prepare(options: ShortOptions): Promise<ShortForm> {
    const folder = mkdtempSync(join(tmpdir(), 'prorata-torture-'));
    try {
      const wrongs: string[] = [];
      const days = await daysStore(options, folder);
      const demo = await demoStore(options, folder, wrongs);
      const trials = [[days, DAYS_TRIALS] as const, [demo, DEMO_TRIALS] as const];
      return new ShortForm(folder, trials, wrongs);
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async try(options: TrialOptions): Promise<Tally> {
    const tally = new Tally();
    tally.wrongs.push(...this.#wrongs);
    for (const [store, trials] of this.#trials) {
      for (const trial of trials) {
        if (options.stopsEarly && tally.wrongs.length > 0) return tally;
        await tryServer(options, trial, store, tally);
      }
    }
    return tally;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Prepares stores, tries the sources on them, and removes the stores. */
export async function runShortForm(options: ShortOptions & TrialOptions): Promise<Tally> {
  const form = await ShortForm.prepare(options);
  try {
    return await form.try(options);
  } finally {
    form.remove();
  }
}

async function daysStore({ rows, seed, note }: ShortOptions, folder: string): Promise<Store> {
  const own = join(folder, 'days');
  const dataDir = join(own, 'data');
  mkdirSync(own);
  const days = await makeDays(dataDir, { seed, rows, days: 1 });
  note(`a day of ${rows} rows is stored`);
  const written = new WrittenQuestions(days, own);
  const questions = (['json', 'ndjson', 'csv'] as const).map((format) =>
    written.make({ aggregate: 'pod', format, isAccumulated: false }, 0, 1),
  );
  note(`${questions.length} bodies are worked out`);
  return { name: 'days', dataDir, questions };
}

async function demoStore(
  { referenceTree, note }: ShortOptions,
  folder: string,
  wrongs: string[],
): Promise<Store> {
  const own = join(folder, 'demo');
  const place = { name: 'demo', dataDir: join(own, 'data') };
  mkdirSync(own);
  await buildDemo(referenceTree, place.dataDir, DEMO_DAYS);
  note(`${DEMO_DAYS} days of the demo are built`);
  const tell = (wrong: string): void => void wrongs.push(wrong);
  const questions = await referenceQuestions(referenceTree, place, DEMO_PATHS, own, tell);
  note(`${questions.length} bodies are from one worker`);
  return { ...place, questions };
}

/** Each question first and again, then beside the others, read well and badly. */
async function tryServer(
  { tree, isChecked, repeatsMost = Infinity, note }: TrialOptions,
  { flags: given, repeats, isScarce = false }: Trial,
  store: Store,
  tally: Tally,
): Promise<void> {
  const flags: ServerFlags = { ...given, store, isChecked };
  const server = await Server.start(tree, flags);
  const name = nameOf(flags);
  const one = async (question: Question, reading: Reading, acceptsGzip = false): Promise<void> => {
    if (!server.isAlive) return;
    const outcome = await examine(server.url, question, { acceptsGzip, reading, goesOn: true });
    tally.add(outcome, `${name}, ${reading.kind}: ${question.path}`);
  };
  const alone = async (question: Question): Promise<void> => {
    const { equal, wrong } = tally.counts;
    await one(question, STEADY);
    const isAnswered = tally.counts.equal > equal || tally.counts.wrong > wrong;
    if (!isAnswered && !isScarce)
      tally.wrongs.push(`${name}: ${question.path} is not answered, though alone`);
  };
  try {
    for (const question of store.questions) {
      for (let round = 0; round < Math.min(repeats, repeatsMost); round++) await alone(question);
    }
    const readings = [STEADY, PAUSING, STEADY, VANISHING];
    await Promise.all([
      ...store.questions.flatMap((question) => readings.map((each) => one(question, each))),
      ...store.questions.slice(0, 2).map((question) => one(question, STEADY, true)),
    ]);
  } finally {
    await server.stop();
  }
  tally.addServer(server, flags);
  note(`${name}: ${tally.line()}`);
}
