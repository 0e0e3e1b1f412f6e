/** What Prometheus' own tool says of a folder of blocks. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { labelKey } from './block-samples.ts';

const run = promisify(execFile);

/** @throws when promtool refuses the folder, with what it said */
export async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('promtool', ['tsdb', ...args], { maxBuffer: 1 << 28 });
  return stdout;
}

/** All samples by label texts, in order of time. */
export async function dumped(folder: string): Promise<Map<string, [number, number][]>> {
  await mkdir(join(folder, 'wal'), { recursive: true }); // it opens no folder without
  const found = new Map<string, [number, number][]>();
  for (const line of (await promtool('dump', folder)).split('\n')) {
    const [, labels, value, ms] = /^\{(.*)\} (\S+) (-?\d+)$/.exec(line) ?? [];
    if (labels === undefined) continue;
    const texts: Record<string, string> = {};
    for (const [, name = '', text = ''] of labels.matchAll(/(\w+)=("(?:[^"\\]|\\.)*")/g))
      texts[name] = JSON.parse(text) as string;
    const key = labelKey(texts);
    const samples = found.get(key) ?? [];
    samples.push([Number(ms), numberIn(value ?? '')]);
    found.set(key, samples);
  }
  return found;
}

function numberIn(text: string): number {
  const infinite = /^([+-]?)Inf$/.exec(text);
  return infinite === null ? Number(text) : infinite[1] === '-' ? -Infinity : Infinity;
}
