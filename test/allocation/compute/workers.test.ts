/** The same bytes, whatever number of threads computed them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { startBundleServer } from '../../support/servers/bundle-server.ts';
import { measured } from '../../support/measured.ts';

const QUERIES = [
  'window=6h&resolution=exact',
  'window=6h&step=1h&aggregate=namespace,label:app',
  'window=6h&aggregate=cluster&accumulate=true&resolution=5m',
];

async function answers(workers: number): Promise<string[]> {
  const server = await startBundleServer(['--now=2024-05-03T08:00:00Z', `--workers=${workers}`]);
  try {
    const texts: string[] = [];
    for (const query of QUERIES) {
      const answer = await server.compute(query);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(answer.text.length > 1000);
      texts.push(createHash('sha256').update(answer.text).digest('hex'));
    }
    return texts;
  } finally {
    await server.stop();
  }
}

test('P-ORACLE: 1, 2 and 4 workers answer with the same bytes', async (t) => {
  const alone = await answers(1);
  for (const workers of [2, 4]) assert.deepEqual(await answers(workers), alone);
  measured(t, 'P-ORACLE', 'the same bytes from 1, 2 and 4 workers');
});
