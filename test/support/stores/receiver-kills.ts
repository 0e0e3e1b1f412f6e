/** Kills a process that writes to a receiver's folder at random points, and looks for what it acknowledged. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { fsckReceiver } from '../../../src/receiver/index.ts';
import { ReceiverStore } from '../../../src/receiver/ingest/receiver-store.ts';
import { readBatches } from '../references/read-batches.ts';
import { nowOf, samplesOf, SERIES, WRITER_OPTIONS } from './killed-requests.ts';
import { bitsOf } from './xor-encoder.ts';

/** Builds the writer as one file, so that it starts fast. @returns its path in the folder */
export async function buildWriter(folder: string): Promise<string> {
  const source = fileURLToPath(new URL('./receiver-writer.ts', import.meta.url));
  const outfile = join(folder, 'receiver-writer.mjs');
  const format = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  await build({ ...format, packages: 'external', entryPoints: [source], outfile });
  const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));
  symlinkSync(packages, join(folder, 'node_modules'));
  return outfile;
}

export interface KilledWriter {
  /** The last request that was acknowledged. */
  readonly acknowledged: number;
  readonly said: string;
}

/**
 * Runs the writer, and kills it some time after its first acknowledgement.
 * @param first the number of its first request
 */
export async function killWriter(
  writer: string,
  folder: string,
  first: number,
  afterMs: number,
): Promise<KilledWriter> {
  const child = spawn(process.execPath, [writer, folder, `${first}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (out === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  const acknowledged = Number(out.trim().split('\n').at(-1) || first - 1);
  return { acknowledged, said };
}

/**
 * All that was acknowledged is there once and nothing else is, but perhaps a part of the request that was under
 * way: each of its windows has a commit of its own.
 * @returns the number of samples
 */
export async function checkAcknowledged(folder: string, acknowledged: number): Promise<number> {
  const store = await ReceiverStore.open({ ...WRITER_OPTIONS, folder }, nowOf(acknowledged));
  try {
    const read = store.read({ metrics: ['up'] }, { startMs: 0, endMs: 2 ** 50 });
    const found = await readBatches(read);
    let count = 0;
    for (let series = 0; series < SERIES; series++) {
      const one = [...found.values()].find(({ labels }) => labels['pod'] === `${series}`);
      const underWay = new Map(samplesOf(acknowledged + 1, series));
      const stored = (one?.timestampsMs ?? []).map(
        (timeMs, i) => [timeMs, one?.valueBits[i] ?? 0n] as const,
      );
      const expected = Array.from({ length: acknowledged + 1 }, (_, i) => samplesOf(i, series))
        .flat()
        .toSorted(([first], [second]) => first - second)
        .map(([timeMs, value]) => [timeMs, bitsOf(value)] as const);
      const [others, own] = [
        stored.filter(([timeMs]) => underWay.has(timeMs)),
        stored.filter(([timeMs]) => !underWay.has(timeMs)),
      ];
      assert.deepEqual(own.length, expected.length);
      assert.deepEqual(own, expected);
      for (const [timeMs, bits] of others) assert.equal(bits, bitsOf(underWay.get(timeMs) ?? NaN));
      count += stored.length;
    }
    return count;
  } finally {
    store.close();
    const { findings } = await fsckReceiver(folder);
    assert.deepEqual(findings, []);
  }
}
