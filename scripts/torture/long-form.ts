/** The long form of the harness: everything that is asked, of both stores, in a random walk. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arrowFault } from './arrow-values.ts';
import { importBills } from './bills.ts';
import type { Aggregate } from './expected-rows.ts';
import { demoPaths, furtherPaths, pathOf, writtenQuestions } from './questions.ts';
import { buildDemo, makeDays, referenceQuestions, type Store } from './stores.ts';
import { Tally } from './tally.ts';
import { walk, type WalkOptions } from './walk.ts';

export interface LongOptions extends Omit<WalkOptions, 'stores'> {
  /** Rows of a stored day, and how many days. */
  readonly rows: number;
  readonly days: number;
  /** Days of the demo fleet. */
  readonly demoDays: number;
}

export async function runLongForm(options: LongOptions): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-torture-'));
  try {
    const tally = new Tally();
    const stores = [
      await daysStore(options, folder, tally),
      await demoStore(options, folder, tally),
    ];
    await walk({ ...options, stores }, tally);
    return tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const BILL_CHARGES = 20_000;

const ARROW: readonly (readonly [keys: string, Aggregate])[] = [
  ['&aggregate=pod', 'pod'],
  ['', 'none'],
];

async function daysStore(options: LongOptions, folder: string, tally: Tally): Promise<Store> {
  const { tree, note } = options;
  const own = join(folder, 'days');
  const place = { name: 'days', dataDir: join(own, 'data') };
  mkdirSync(own);
  const days = await makeDays(place.dataDir, options);
  note(`${days.length} × ${options.rows} rows are stored`);
  const written = writtenQuestions(days, own);
  note(`${written.length} bodies are worked out`);
  const [, window = ''] = pathOf(days).split('?window=');
  const tell = (wrong: string): void => void tally.wrongs.push(wrong);
  const asked = await referenceQuestions(tree, place, furtherPaths(window), own, tell);
  note(`${asked.length} bodies are from one worker`);
  for (const [keys, aggregate] of ARROW) {
    const question = asked.find(({ path }) => path.endsWith(`${window}${keys}&format=arrow`));
    const fault = question
      ? arrowFault(question.body.path, days, aggregate)
      : 'it is not asked for';
    if (fault !== undefined) tell(`Arrow by ${aggregate}: ${fault}`);
  }
  note(`${ARROW.length} of Arrow are compared value by value`);
  return { ...place, questions: [...written, ...asked] };
}

async function demoStore(options: LongOptions, folder: string, tally: Tally): Promise<Store> {
  const { tree, note, demoDays } = options;
  const own = join(folder, 'demo');
  const place = { name: 'demo', dataDir: join(own, 'data') };
  mkdirSync(own);
  await buildDemo(tree, place.dataDir, demoDays);
  note(`${demoDays} days of the demo are built`);
  await importBills(tree, place, own, BILL_CHARGES);
  note(`two bills of ${BILL_CHARGES} charges are imported`);
  const tell = (wrong: string): void => void tally.wrongs.push(wrong);
  const questions = await referenceQuestions(tree, place, demoPaths(demoDays), own, tell);
  note(`${questions.length} bodies are from one worker`);
  return { ...place, questions };
}
