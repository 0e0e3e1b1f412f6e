import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { decodeMeta } from '../../src/tsdb/format/block-meta.ts';
import { writeBlock, type BlockSeries } from '../../src/tsdb/index.ts';
import { asBlockSeries, plainSamples, type PlainSeries } from '../support/stores/block-samples.ts';
import { dumped, promtool } from '../support/stores/promtool.ts';
import { skipWithout } from '../support/servers/services.ts';

const START_MS = Date.UTC(2024, 2, 10, 22);
const RANGE = { startMs: START_MS, endMs: START_MS + 7_200_000 };
const ODD = [0, -0, 1e-310, 5e-324, Number.MAX_VALUE, Infinity, -Infinity, NaN, -1.5, 0.1];

/** Names before and after `__name__`, texts of several bytes a character, values that are names elsewhere. */
const SERIES: readonly PlainSeries[] = Array.from({ length: 300 }, (_, place) => ({
  labels: {
    __name__: place % 3 === 0 ? 'up' : 'container_memory_working_set_bytes',
    ...(place % 2 === 0 ? { Zone: 'up', pod: `pod-${place}` } : {}),
    text: `é 💶 ${place % 7}`,
    place: String(place),
  },
  samples: Array.from({ length: 1 + ((place * 37) % 240) }, (_, i) => [
    START_MS + i * 30_000 + ((i * 37) % 90),
    place < 10 ? (ODD[(i + place) % ODD.length] ?? 0) : place + i / 7,
  ]),
}));

describe('a written block', () => {
  let folder = '';
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'prorata-blocks-'))));
  after(async () => await rm(folder, { recursive: true }));

  test(
    'promtool reads the samples that were written',
    { skip: skipWithout('promtool') },
    async () => {
      const home = join(folder, 'whole');
      const series = asBlockSeries(SERIES);
      const meta = await writeBlock(home, RANGE, series);
      const samples = SERIES.reduce((sum, one) => sum + one.samples.length, 0);
      assert.deepEqual([meta?.series, meta?.samples], [300, samples]);
      assert.deepEqual(await dumped(home), plainSamples(series));
      assert.match(await promtool('list', home), new RegExp(`${meta?.ulid}.* ${samples} `));
      assert.match(await promtool('analyze', home), /Series: 300\n/);
    },
  );

  test('what fails leaves nothing behind, and nothing is written of no samples', async () => {
    const home = join(folder, 'failing');
    const [one, two] = asBlockSeries(SERIES);
    assert.ok(one && two);
    const rows: readonly (readonly [BlockSeries[], RegExp])[] = [
      [[two, one], /BUG: series out of order/],
      [[one, one], /BUG: series out of order/],
      [[{ ...one, chunks: [...one.chunks, ...one.chunks] }], /BUG: a chunk of/],
      [[{ ...one, labels: one.labels.subarray(1) }], /BUG: malformed labels/],
    ];
    for (const [series, message] of rows) {
      await assert.rejects(writeBlock(home, RANGE, series), message);
      assert.deepEqual(await readdir(home), []);
    }
    await assert.rejects(writeBlock(home, { ...RANGE, endMs: START_MS }, [one]), /BUG: a chunk of/);
    const none = await writeBlock(home, RANGE, [{ ...one, chunks: [] }]);
    assert.deepEqual([none, await readdir(home)], [undefined, []]);
    const file = join(folder, 'file');
    await writeFile(file, '');
    await assert.rejects(writeBlock(file, RANGE, [one]), { name: 'Unavailable' });
  });

  test('its meta.json tells what is in it and the lengths of its files', async () => {
    const home = join(folder, 'meta');
    const meta = await writeBlock(home, RANGE, asBlockSeries(SERIES.slice(0, 3)));
    const path = join(home, meta?.ulid ?? '');
    assert.deepEqual((await readdir(path)).sort(), ['chunks', 'index', 'meta.json', 'tombstones']);
    const read = decodeMeta(await readFile(join(path, 'meta.json'), 'utf8'));
    assert.deepEqual(read, meta);
    const index = await readFile(join(path, 'index'));
    const chunks = await readFile(join(path, 'chunks', '000001'));
    assert.deepEqual(read.files?.index, index.length);
    assert.deepEqual(read.files?.chunks, [chunks.length]);
  });
});
