/**
 * What answers may be: as a server gives them that nothing happens to, from a folder that was built before. A sealed
 * day is there or not; the day that goes on is as it was at one of several clocks, or not there. Nothing between.
 */
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServerProcess } from '../../../test/support/servers/server-process.ts';
import { runCommand } from './commands.ts';

export interface Question {
  /** What it is called in the report. */
  readonly kind: string;
  /** `{n}` is a number that was in none before, and changes no answer. */
  readonly path: string;
  /** What an answer is, by its digest: `absent`, or the number of the clock. */
  readonly states: Map<string, 'absent' | number>;
}

export interface Expected {
  /** One day each. */
  readonly questions: readonly Question[];
  /** All days, for when all are there. */
  readonly overall: readonly Question[];
}

/** The clock of a server: the last of those of builders. */
export const CLOCKS: readonly string[] = Array.from({ length: 6 }, (_, i) =>
  new Date(Date.UTC(2024, 4, 3, 8 + i)).toISOString().replace('.000Z', 'Z'),
);
export const NOW: string = CLOCKS.at(-1) ?? '';
/** `--retention`, and the days that it makes: the last one goes on. */
export const RETENTION = '3d';
const DAYS = ['2024-04-30', '2024-05-01', '2024-05-02', '2024-05-03'].map(
  (day) => `window=${day}T00:00:00Z,${nextOf(day)}T00:00:00Z`,
);
export const SEALED: readonly string[] = DAYS.slice(0, -1).map((day) => day.slice(7));
const OVERALL = `window=2024-04-30T00:00:00Z,2024-05-04T00:00:00Z`;

const KINDS: readonly (readonly [kind: string, path: string])[] = [
  ['namespaces', '/model/allocation?{w}&aggregate=namespace'],
  ['controllers', '/model/allocation?{w}&aggregate=controller&filter=node!:"none-{n}"'],
  ['labels', '/model/allocation?{w}&aggregate=label:app&shareIdle=true&accumulate=true'],
  ['csv', '/model/allocation?{w}&format=csv&filter=namespace!:"none-{n}"'],
  ['summary', '/model/allocation/summary?{w}&aggregate=cluster'],
  ['assets', '/model/assets?{w}&aggregate=type'],
  ['sizing', '/model/savings/requestSizingV2?{w}&limit=20&filter=namespace!:"none-{n}"'],
];

export const digestOf = (body: Uint8Array): string =>
  createHash('sha256').update(body).digest('base64url');

/** @param folder gets folders of days @param tell gets a line for each step */
export async function expectedIn(folder: string, tell: (line: string) => void): Promise<Expected> {
  const questionsOf = (window: string): Question[] =>
    KINDS.map(([kind, path]) => ({ kind, path: path.replace('{w}', window), states: new Map() }));
  const expected = { questions: DAYS.flatMap(questionsOf), overall: questionsOf(OVERALL) };
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  await note(expected, empty, 'absent');
  let before: string | undefined;
  for (const [i, clock] of CLOCKS.entries()) {
    const days = join(folder, `clock-${i}`);
    if (before !== undefined) cpSync(before, days, { recursive: true });
    const window = before === undefined ? [] : ['--window=today'];
    await runCommand([...buildFlags(clock), `--data-dir=${days}`, ...window]);
    await note(expected, days, i);
    tell(`answers of ${clock} are known`);
    before = days;
  }
  return expected;
}

/** Flags of `prorata build`, and of servers that build. */
export function worldFlags(clock: string): string[] {
  return ['--demo=true', `--now=${clock}`, `--retention=${RETENTION}`, '--timezone=UTC'];
}

function buildFlags(clock: string): string[] {
  return ['build', ...worldFlags(clock), '--quiet'];
}

async function note(expected: Expected, folder: string, state: 'absent' | number): Promise<void> {
  const own = [`--data-dir=${folder}`, '--refresh=0', '--workers=1'];
  const server = await startServerProcess([...own, `--now=${NOW}`, '--timezone=UTC']);
  try {
    for (const { path, states } of [...expected.questions, ...expected.overall]) {
      const answer = await fetch(server.url + path.replaceAll('{n}', '0'));
      const body = Buffer.from(await answer.arrayBuffer());
      if (answer.status !== 200) throw new Error(`${path}: ${body.toString()}`);
      // The first: a sealed day is the same at each clock.
      const digest = digestOf(body);
      if (!states.has(digest)) states.set(digest, state);
    }
  } catch (cause) {
    const said = server.lines.slice(-5).join('\n');
    throw new Error(`a server that nothing happens to does not answer; it said:\n${said}`, {
      cause,
    });
  } finally {
    await server.stop();
  }
}

function nextOf(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
