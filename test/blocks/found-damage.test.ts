/** Blocks as the server has them: a thread that copies chunks, and looks for damage once whoever decodes them met some. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Selection, TimeRange } from '../../src/metrics/index.ts';
import { Unavailable } from '../../src/query/index.ts';
import { openConfiguredStore } from '../../src/server/configured-store.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { storeBlock } from '../support/stores/stored-blocks.ts';

const START_MS = Date.UTC(2024, 2, 10);
const RANGE: TimeRange = { startMs: START_MS, endMs: START_MS + 7_200_000 };
const UP: Selection = { metric: 'up', matchers: [] };

test('damage of a chunk that nobody merges is met by who decodes it, and then named', async (t) => {
  const folder = quickFolder('found-damage');
  const series = ['a', 'b'].map((pod, i) => ({
    labels: { __name__: 'up', pod },
    samples: [1, 2, 3].map((minute) => [START_MS + minute * 60_000, minute / (i + 1)] as const),
  }));
  const ulid = (await storeBlock(folder, { ...RANGE, series, chunkSamples: 2 })) ?? '';
  const { config } = loadConfig(['--metrics-url', `file://${folder}`], {}, () => '');
  const blocks = openConfiguredStore(config, `file://${folder}`, { idleTimeoutMs: 1000 });
  t.after(() => blocks.close());
  const { signal } = new AbortController();
  const found = await readBatches(blocks.read(UP, RANGE, signal));
  const pods = [...found.values()].map(({ labels }) => labels['pod']);
  assert.deepEqual(pods, ['a', 'b']);
  assert.equal(await blocks.findDamage?.(['up'], RANGE, signal), undefined);
  const chunks = join(folder, ulid, 'chunks', '000001');
  const bytes = readFileSync(chunks);
  bytes[12] = (bytes[12] ?? 0) ^ 1;
  writeFileSync(chunks, bytes);
  await assert.rejects(
    async () => await readBatches(blocks.read(UP, RANGE, signal)),
    /a chunk has a wrong checksum/,
  );
  const damage = await blocks.findDamage?.(['up'], RANGE, signal);
  assert.ok(damage instanceof Unavailable);
  assert.equal(
    damage.message,
    `file://${chunks} is damaged at byte 8: a chunk has a wrong checksum`,
  );
});
