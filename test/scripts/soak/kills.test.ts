/** What a run that kills servers counts as wrong, and the bucket that it kills. `npm run soak -- --kill bucket` runs it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { digestOf, type Question } from '../../../scripts/soak/kills/expected.ts';
import { Tally, type Came } from '../../../scripts/soak/kills/tally.ts';
import { bucketAt } from '../../support/stores/object-stores.ts';
import { startS3Process } from '../../support/stores/s3-process.ts';

const WHOLE = Buffer.from('{"code":200,"data":[{"web":1}]}');
const ABSENT = Buffer.from('{"code":200,"data":[{}],"partial":true}');
const question: Question = {
  kind: 'namespaces',
  path: '/model/allocation?window=2d',
  states: new Map<string, 'absent' | number>([
    [digestOf(ABSENT), 'absent'],
    [digestOf(WHOLE), 3],
  ]),
};
const answer = (status: number, body: Buffer, retryAfter?: string): Came => ({
  status,
  body,
  retryAfter,
});
const broken = (isBegun: boolean, isGone: boolean): Came => ({
  broken: 'ECONNRESET',
  isBegun,
  isGone,
});

const CAME: readonly (readonly [name: string, came: Came, counted: string])[] = [
  ['the whole day', answer(200, WHOLE), 'right'],
  ['no day', answer(200, ABSENT), 'absent'],
  ['half a day', answer(200, Buffer.from('{"code":200,"data":[{}]}')), 'failed'],
  ['503 with Retry-After', answer(503, Buffer.from('{}'), '5'), 'refused'],
  ['503 without', answer(503, Buffer.from('{}')), 'failed'],
  ['another error', answer(500, Buffer.from('{}'), '5'), 'failed'],
  ['the right body with another status', answer(206, WHOLE), 'failed'],
  ['nothing from a server that was killed', broken(false, true), 'gone'],
  ['a part from a server that was killed', broken(true, true), 'cut'],
  ['nothing from a server that lives', broken(false, false), 'failed'],
  ['a part from a server that lives', broken(true, false), 'failed'],
];

for (const [name, came, counted] of CAME) {
  test(`while servers are killed ${name} counts as ${counted}`, () => {
    const tally = new Tally();
    tally.add(question, 'server-1', came);
    const counts = tally.counts.get('namespaces');
    const all = { ...counts, failed: tally.failed };
    assert.deepEqual(
      Object.entries(all).filter(([, count]) => count > 0),
      [[counted, 1]],
    );
    assert.equal(tally.failures.length, counted === 'failed' ? 1 : 0);
  });
}

test('a bucket that is killed has what it acknowledged, once it is there again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-killed-bucket-'));
  const process = await startS3Process(folder);
  try {
    const bucket = bucketAt(process.origin);
    const { signal } = new AbortController();
    const acknowledged: string[] = [];
    const writing = (async (): Promise<void> => {
      for (let i = 0; i < 1000; i++) {
        await bucket.write(`a/${i}`, Buffer.from(`text ${i}`), 'absent', AbortSignal.timeout(2000));
        acknowledged.push(`a/${i}`);
      }
    })().catch(() => undefined);
    while (acknowledged.length < 20) await new Promise(setImmediate);
    await process.kill();
    await writing;
    assert.ok(acknowledged.length < 1000);
    await process.start();
    for (const key of acknowledged) {
      const found = await bucket.fetch(key, signal);
      assert.equal(Buffer.from(found?.bytes ?? []).toString(), `text ${key.slice(2)}`);
      // It is there for a condition, too.
      assert.equal(await bucket.write(key, Buffer.from(''), 'absent', signal), undefined);
    }
  } finally {
    await process.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
