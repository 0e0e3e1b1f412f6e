/** The receiver as the server has it: a thread of its own, which may end. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { snappy, type Batch, type TimeRange } from '../../src/metrics/index.ts';
import { openReceiver, type OpenReceiver, type ReceiverOptions } from '../../src/receiver/index.ts';
import { Fault, Unavailable } from '../../src/query/index.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { until } from '../support/servers/object-world.ts';
import { readBatches } from '../support/references/read-batches.ts';
import { writeBody } from '../support/stores/write-bodies.ts';
import { bitsOf } from '../support/stores/xor-encoder.ts';

const home = quickFolder('open-receiver');

const NOW_MS = 1_790_000_000_000;
const ALL: TimeRange = { startMs: 0, endMs: 2 * NOW_MS };
const ACCEPTED = { kind: 'stored', samples: 1, histograms: 0, exemplars: 0 };

let folders = 0;
function optionsOf(folder: string = join(home, `receiver-${folders++}`)): ReceiverOptions {
  const limits = { maxSeries: 4000, maxSamplesPerSecond: 1e6 };
  return { folder, outOfOrderMs: 7.2e6, retentionMs: 864e5, ...limits, nowMs: () => NOW_MS };
}

async function opened(t: TestContext, options = optionsOf()): Promise<OpenReceiver> {
  const receiver = await openReceiver(options);
  t.after(() => receiver.close());
  return receiver;
}

function one(pod: string, value: number): Uint8Array {
  const labels = [['__name__', 'up'], ['pod', pod]] as const; // prettier-ignore
  return snappy(writeBody([{ labels, samples: [{ timeMs: NOW_MS, valueBits: bitsOf(value) }] }]));
}

async function pods(receiver: OpenReceiver, pattern = '.*'): Promise<string[]> {
  const matchers = [{ label: 'pod', operator: '=~', value: pattern }] as const;
  const { signal } = new AbortController();
  const found = await readBatches(receiver.source.read({ metric: 'up', matchers }, ALL, signal));
  return [...found.values()].map(({ labels }) => labels['pod'] ?? '').toSorted();
}

test('what was acknowledged is read at once, after a restart, and by matchers', async (t) => {
  const options = optionsOf();
  const receiver = await openReceiver(options);
  const names = ['a', 'b', 'c', 'd'];
  const outcomes = await Promise.all(names.map((pod) => receiver.write(one(pod, 1), '1.0')));
  for (const outcome of outcomes) assert.deepEqual(outcome, ACCEPTED);
  assert.deepEqual(await pods(receiver), names);
  assert.deepEqual(await pods(receiver, 'a|c'), ['a', 'c']);
  const { series, samples, newestMs, failing } = receiver.figures();
  assert.deepEqual([series, samples, newestMs, failing], [4, 4, NOW_MS, undefined]);
  await receiver.close();
  const again = await opened(t, options);
  assert.deepEqual(await pods(again), names);
  assert.equal(await again.source.earliestSampleMs?.(new AbortController().signal), NOW_MS);
  assert.deepEqual(await again.write(one('a', 1), '1.0'), ACCEPTED);
  assert.equal((await again.write(one('a', 2), '1.0')).kind, 'refused');
});

test('batches lie in the room that the reader gives', async (t) => {
  const receiver = await opened(t);
  await receiver.write(one('a', 1), '1.0');
  const { signal } = new AbortController();
  const together = await receiver.source.together?.(signal);
  assert.ok(together !== undefined);
  const memory = new Uint8Array(new SharedArrayBuffer(4096));
  const room = (bytes: number): Uint8Array => memory.subarray(0, bytes);
  for await (const { bytes } of together(['up', 'down'], ALL, signal, undefined, room))
    assert.equal(bytes.buffer, memory.buffer);
  assert.ok(memory[0] !== 0);
});

test('a body that is a part of a larger buffer stays as it is', async (t) => {
  const receiver = await opened(t);
  const body = one('a', 1);
  const larger = Buffer.concat([body, Buffer.alloc(8)]);
  assert.deepEqual(await receiver.write(larger.subarray(0, body.length), '1.0'), ACCEPTED);
  assert.deepEqual(larger.subarray(0, body.length), Buffer.from(body));
});

test('a read that is given up leaves nothing behind, and the next one works', async (t) => {
  const receiver = await opened(t);
  await receiver.write(one('a', 1), '1.0');
  const given = new AbortController();
  given.abort(new Error('given up'));
  const selection = { metric: 'up', matchers: [] };
  const read = receiver.source.read(selection, ALL, given.signal);
  await assert.rejects(async () => await readBatches(read), /given up/);
  for await (const batch of receiver.source.read(selection, ALL, new AbortController().signal)) {
    assert.ok(batch.bytes.length > 0);
    break;
  }
  assert.deepEqual(await pods(receiver), ['a']);
  await assert.rejects(pods(receiver, '('), Fault);
});

test('P-O6: a second receiver of a folder is refused while the first one has it', async (t) => {
  const options = optionsOf();
  const receiver = await openReceiver(options);
  await assert.rejects(openReceiver(options), /is in use by process/);
  await receiver.close();
  await opened(t, options);
});

/** The thread that begins next. */
function nextThread(): Promise<Worker> {
  return new Promise((resolve) => process.once('worker', resolve));
}

test('a thread that ends is told as 503, for what waits and for what comes until the next', async (t) => {
  const started = nextThread();
  const notes: string[] = [];
  const receiver = await opened(t, { ...optionsOf(), note: (text) => notes.push(text) });
  assert.deepEqual(await receiver.write(one('stored', 1), '1.0'), ACCEPTED);
  const write = receiver.write(one('a', 1), '1.0');
  const read = pods(receiver);
  read.catch(() => undefined);
  await (await started).terminate();
  for (const outcome of [await write, await receiver.write(one('b', 1), '1.0')])
    assert.ok(outcome.kind === 'stored' || outcome.kind === 'unavailable', outcome.kind);
  assert.equal((await receiver.write(one('b', 1), '1.0')).kind, 'unavailable');
  await assert.rejects(pods(receiver), Unavailable);
  assert.match(receiver.figures().failing ?? '', /^the receiver has ended: it was ended$/);
  await until(() => receiver.figures().failing === undefined, 'another thread has begun');
  assert.ok((await pods(receiver)).includes('stored'));
  assert.deepEqual(await receiver.write(one('c', 1), '1.0'), ACCEPTED);
  assert.ok((await pods(receiver)).includes('c'));
  const ended = 'the receiver has ended: it was ended; it is started again in 0.5 s';
  assert.deepEqual(notes, [ended, 'the receiver was started again']);
});

test('pauses grow where no thread can begin, and closing ends them', async (t) => {
  const options = optionsOf();
  const started = nextThread();
  const notes: string[] = [];
  const receiver = await opened(t, { ...options, note: (text) => notes.push(text) });
  writeFileSync(join(options.folder, 'logs', '0-1.sqlite'), 'x'.repeat(50_000));
  await (await started).terminate();
  await until(() => notes.length === 2, 'a second pause has begun');
  assert.match(notes[1] ?? '', /ended: cannot read .*0-1\.sqlite.*; it is started again in 1 s$/s);
  await receiver.close();
  rmSync(join(options.folder, 'logs', '0-1.sqlite'));
  const again = await opened(t, options);
  assert.deepEqual(await again.write(one('a', 1), '1.0'), ACCEPTED);
  assert.equal(notes.length, 2);
});

test('figures tell of blocks that are cut while nothing is sent', async (t) => {
  let nowMs = NOW_MS;
  const receiver = await opened(t, { ...optionsOf(), nowMs: () => nowMs });
  await receiver.write(one('a', 1), '1.0');
  nowMs += 12 * 3_600_000;
  await receiver.write(new Uint8Array(1), '1.0'); // it only tells the time
  await until(() => receiver.figures().blocks === 1, 'the block is told');
});

/** Many samples whose chunks take bytes; each pod has a value of its own. */
function hour(pod: string): Uint8Array {
  const labels = [['__name__', 'up'], ['pod', pod]] as const; // prettier-ignore
  const samples = Array.from({ length: 60 }, (_, i) => ({
    timeMs: NOW_MS - i * 60_000,
    valueBits: bitsOf(Math.sin(i)),
  }));
  return snappy(writeBody([{ labels, samples: samples.toReversed() }]));
}

test('damage that a decoder meets is looked for, and named with its file and place', async (t) => {
  let nowMs = NOW_MS;
  const options = optionsOf();
  const receiver = await opened(t, { ...options, nowMs: () => nowMs });
  await receiver.write(hour('a'), '1.0');
  nowMs += 12 * 3_600_000;
  await receiver.write(new Uint8Array(1), '1.0'); // it only tells the time
  await until(() => receiver.figures().blocks > 0, 'the block is told');
  const { signal } = new AbortController();
  const { source } = receiver;
  assert.equal(await source.findDamage?.(['up'], ALL, signal), undefined);
  const blocks = join(options.folder, 'blocks');
  const [name = ''] = readdirSync(blocks);
  const chunks = join(blocks, name, 'chunks', '000001');
  const bytes = readFileSync(chunks);
  bytes[40] = (bytes[40] ?? 0) ^ 1;
  writeFileSync(chunks, bytes);
  await assert.rejects(pods(receiver), /a chunk has a wrong checksum/);
  const found = await source.findDamage?.(['up'], ALL, signal);
  assert.ok(found instanceof Unavailable);
  assert.ok(found.message.startsWith(`${chunks} is damaged at byte 8: `), found.message);
  assert.equal(receiver.figures().damagedBlocks, 0);
  await receiver.write(one('b', 1), '1.0');
  assert.equal(receiver.figures().damagedBlocks, 1);
});

test('memory of batches goes back and forth, and no batch shows what another had', async (t) => {
  const receiver = await opened(t);
  const long = 'x'.repeat(4000);
  const names = Array.from({ length: 800 }, (_, i) => `${long}-${i}`).toSorted();
  await Promise.all(names.map((pod, i) => receiver.write(one(pod, i), '1.0')));
  const { signal } = new AbortController();
  const room = (bytes: number): Uint8Array => new Uint8Array(bytes);
  const reads = Array.from({ length: 3 }, async () => {
    const batches: Batch[] = [];
    for await (const batch of receiver.source.read({ metric: 'up', matchers: [] }, ALL, signal, undefined, room))
      batches.push(batch);
    assert.ok(batches.length > 2, 'they are of 1 MiB');
    return await readBatches(batches);
  });
  for (const found of await Promise.all(reads))
    assert.deepEqual([...found.values()].map(({ labels }) => labels['pod']), names);
}); // prettier-ignore
