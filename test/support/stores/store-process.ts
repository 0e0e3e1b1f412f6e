/**
 * The writer of sets (store-writer.ts) in a process of its own, under a wrapper such as strace, and
 * what it left.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { fsck, openArrowFiles } from '../../../src/storage/index.ts';
import { plainScript } from '../servers/plain-script.ts';
import { dayKey, encoded, newArena, ownerCounter } from './stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-kill-'));
after(() => rmSync(home, { recursive: true, force: true }));
const writer = await plainScript(
  fileURLToPath(new URL('./store-writer.ts', import.meta.url)),
  home,
);
const arena = newArena(8 << 20);
const nextOwner = ownerCounter();

/** Rows of the set that each write stores, by the day; day 1 is large. */
export const WRITES: readonly (readonly [day: number, rows: number])[] = [
  [0, 2],
  [1, 5000],
  [0, 3],
];
/** What is stored after each write: rows by day. */
export const STATES: readonly string[] = ['', '0:2', '0:2 1:5000', '0:3 1:5000'];

const prepared = join(home, 'sets');
{
  const sets = WRITES.map(([day, rows]) =>
    encoded(dayKey(day), { cpuCost: Array.from({ length: rows }, (_, i) => i + 0.5) }),
  );
  writeFileSync(prepared, serialize(await Promise.all(sets)));
}

export interface Ended {
  /** Writes that the process said were done. */
  readonly stored: number;
  readonly said: string;
  readonly isKilled: boolean;
}

/** @param wrapper what runs the writer, with its arguments; none: nothing */
export async function write(
  folder: string,
  wrapper: readonly string[] = [],
  killAfterMs?: number,
): Promise<Ended> {
  const own = [process.execPath, writer, folder, prepared];
  const [program = '', ...args] = [...wrapper, ...own];
  // One thread for files, so that the n-th call is the same one each time.
  const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '' && killAfterMs !== undefined) {
      setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    }
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  const isKilled = child.signalCode === 'SIGKILL' || child.exitCode === 137;
  return { stored: out.split('stored').length - 1, said, isKilled };
}

/** Opens what is left. @returns its state */
export async function found(folder: string, where: string): Promise<string> {
  const notes: string[] = [];
  const owner = nextOwner();
  const sets = await openArrowFiles({ folder, arena, note: (said) => notes.push(said) });
  const days = sets.list('allocations').map(async ({ key, rows }) => {
    const read = await sets.read(key, owner);
    const values = read?.table.numbers('cpuCost')?.values ?? new Float64Array(0);
    assert.equal(values.length, rows, where);
    values.forEach((value, row) => assert.equal(value, row + 0.5, where));
    return `${(key.startMs - dayKey(0).startMs) / (key.endMs - key.startMs)}:${rows}`;
  });
  const state = (await Promise.all(days)).join(' ');
  arena.release(owner);
  await sets.close();
  assert.deepEqual(notes, [], where);
  assert.deepEqual((await fsck(folder)).damages, [], where);
  const names = readdirSync(join(folder, 'sets'));
  assert.ok(
    names.every((name) => name.endsWith('.arrow')),
    `${where}: ${names.join()}`,
  );
  return state;
}

let folders = 0;
export const newFolder = (): string => join(home, `folder-${folders++}`);

export function strace(inject: string): readonly string[] {
  const only = ['-e', `trace=${inject.split(':')[0]}`, '-e', `inject=${inject}`];
  return ['strace', '-f', '-qqq', '-o', '/dev/null', ...only];
}

/** Runs the work two at a time. */
export async function inPairs<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const run = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all([run(), run()]);
}
