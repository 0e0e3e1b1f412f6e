/**
 * The short form of the harness, for every gate: answers at the size at which memory that was freed
 * too early showed itself, first, again and beside others, at few and many workers and with little
 * memory.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEADY, type Reading } from './client.ts';
import { makeDay } from './days.ts';
import { examine, type Question } from './judge.ts';
import { WrittenQuestions } from './questions.ts';
import { nameOf, Server, type ServerFlags } from './server.ts';
import { storeDays } from './store.ts';
import { Tally } from './tally.ts';

export interface ShortOptions {
  /** The folder of the sources whose bundle is tried. */
  readonly tree: string;
  readonly rows: number;
  readonly seed: number;
  readonly isChecked: boolean;
  readonly note: (line: string) => void;
}

const PAUSING: Reading = { kind: 'pausing', pauses: [{ afterBytes: 3_000_000, ms: 700 }] };
const VANISHING: Reading = { kind: 'vanishing', pauses: [], leavesAfterBytes: 2_000_000 };
const REPEATS = 4;

export async function runShortForm(options: ShortOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-torture-'));
  try {
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    const questions = await prepare(options, folder, dataDir);
    const tally = new Tally();
    for (const flags of FLEETS) {
      await tryServer(
        options,
        { ...flags, dataDir, isChecked: options.isChecked },
        questions,
        tally,
      );
    }
    return tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const FLEETS: readonly Pick<ServerFlags, 'workers' | 'frontEnd' | 'memoryLimit'>[] = [
  { workers: 2, frontEnd: 'uws' },
  { workers: 4, frontEnd: 'node', memoryLimit: '512Mi' },
];

async function prepare(
  { rows, seed, note }: ShortOptions,
  folder: string,
  dataDir: string,
): Promise<Question[]> {
  const days = [makeDay(seed, rows, 0)];
  await storeDays(dataDir, days);
  note(`${days.length} × ${rows} rows are stored`);
  const written = new WrittenQuestions(days, folder);
  const questions = (['json', 'ndjson', 'csv'] as const).map((format) =>
    written.make({ aggregate: 'pod', format, isAccumulated: false }, 0, 1),
  );
  note(`${questions.length} bodies are worked out`);
  return questions;
}

/** Each question first, again, and again while the others are read, well and badly. */
async function tryServer(
  { tree, note }: ShortOptions,
  flags: ServerFlags,
  questions: readonly Question[],
  tally: Tally,
): Promise<void> {
  const server = await Server.start(tree, flags);
  const one = async (question: Question, reading: Reading, acceptsGzip = false): Promise<void> => {
    if (!server.isAlive) return;
    const outcome = await examine(server.url, question, { acceptsGzip, reading });
    tally.add(outcome, `${nameOf(flags)}, ${reading.kind}: ${question.path}`);
  };
  try {
    for (const question of questions) {
      for (let round = 0; round < REPEATS; round++) await one(question, STEADY);
    }
    for (const question of questions) {
      const others = questions.filter((each) => each !== question);
      await Promise.all([
        one(question, STEADY),
        one(question, PAUSING),
        ...others.map((each) => one(each, STEADY)),
        ...others.map((each) => one(each, VANISHING)),
        one(question, STEADY, true),
      ]);
    }
  } finally {
    await server.stop();
  }
  tally.addServer(server, flags);
  note(`${nameOf(flags)}: ${tally.line()}`);
}
