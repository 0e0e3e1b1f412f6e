/** Bodies that no sender sends: the receiver refuses them, stores nothing of them, and goes on. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { snappy } from '../../../src/metrics/index.ts';
import { ReceiverStore } from '../../../src/receiver/ingest/receiver-store.ts';
import type { WriteOutcome } from '../../../src/receiver/index.ts';
import { quickFolder } from '../../support/quick-folder.ts';
import { readBatches } from '../../support/references/read-batches.ts';
import { lengthDelimited, uvarint } from '../../support/stores/samples-encoding.ts';
import { writeBody, writeBodyV2, type WrittenSeries } from '../../support/stores/write-bodies.ts';

const home = quickFolder('hostile');

const NOW_MS = 1_790_000_000_000;
const limits = { outOfOrderMs: 7.2e6, retentionMs: 1e12, maxSeries: 50, maxSamplesPerSecond: 1e9 };
const store = await ReceiverStore.open({ folder: join(home, 'store'), ...limits }, NOW_MS);
after(() => store.close());

function write(body: Uint8Array, version: '1.0' | '2.0' = '1.0'): WriteOutcome {
  const [outcome] = store.write([{ body, version }], NOW_MS);
  assert.ok(outcome !== undefined);
  return outcome;
}

async function held(): Promise<number> {
  const read = store.read({ metrics: ['up', 'good'] }, { startMs: 0, endMs: 2 ** 50 });
  return (await readBatches(read)).size;
}

function series(pod: string, metric = 'up'): WrittenSeries {
  const labels = [
    ['__name__', metric],
    ['pod', pod],
  ] as const;
  return { labels, samples: [{ timeMs: NOW_MS, valueBits: 1n }] };
}

const label = (text: string): Buffer =>
  lengthDelimited(
    1,
    Buffer.concat([lengthDelimited(1, Buffer.from(text)), lengthDelimited(2, Buffer.from('v'))]),
  );
const repeated = (count: number, bytes: Buffer): Buffer[] =>
  Array.from({ length: count }, () => bytes);
const good = writeBody([series('a')]);
const MALFORMED: readonly (readonly [what: string, body: Uint8Array, version?: '2.0'])[] = [
  ['nothing', new Uint8Array(0)],
  ['no snappy', Buffer.from('hello, this is no snappy at all')],
  ['a claim of 4 GiB', Buffer.concat([uvarint(0xffffffff), Buffer.alloc(100)])],
  ['a claim of 31 MB in 100 bytes', Buffer.concat([uvarint(31 << 20), Buffer.alloc(100)])],
  ['a claim without end', Buffer.alloc(10, 0xff)],
  ['text shorter than its claim', Buffer.concat([uvarint(60), snappy(good).subarray(1)])],
  ['a field of 4 GiB', snappy(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]))],
  ['a field that is longer than its message', snappy(Buffer.from([0x0a, 100, 1, 2]))],
  ['a field without a number', snappy(Buffer.from([2, 0]))],
  ['a group', snappy(Buffer.from([0x0b, 0x0c]))],
  ['a number without end', snappy(Buffer.alloc(20, 0xff))],
  ['a good series before a broken one', snappy(Buffer.concat([good.subarray(0, -14), Buffer.from([0x0a, 99])]))],
  ['a value of 4 bytes', snappy(lengthDelimited(1, Buffer.concat([label('__name__'), lengthDelimited(2, Buffer.from([9, 1, 2, 3, 4]))])))],
  ['a label within a label', snappy(lengthDelimited(1, lengthDelimited(1, Buffer.from([0x0a, 99, 1]))))],
  ['a reference to no symbol', snappy(lengthDelimited(5, lengthDelimited(1, uvarint(7)))), '2.0'],
  ['a label without a value', snappy(Buffer.concat([lengthDelimited(4, Buffer.from('a')), lengthDelimited(5, lengthDelimited(1, uvarint(0)))])), '2.0'],
  ['a series of 3,000 references', snappy(Buffer.concat([lengthDelimited(4, Buffer.from('a')), lengthDelimited(5, lengthDelimited(1, Buffer.alloc(3000)))])), '2.0'],
  ['100,000 references to one long text', snappy(Buffer.concat([lengthDelimited(4, Buffer.alloc(60_000, 97)), ...repeated(20_000, lengthDelimited(5, lengthDelimited(1, Buffer.alloc(4))))])), '2.0'],
  ['2,000,000 symbols', snappy(Buffer.concat(repeated(2_000_000, Buffer.from([0x22, 0])))), '2.0'],
  ['1,000,000 samples', snappy(lengthDelimited(1, Buffer.concat([label('__name__'), ...repeated(1_000_000, Buffer.from([0x12, 0]))])))],
]; // prettier-ignore

for (const [what, body, version = '1.0'] of MALFORMED)
  test(`${what} is malformed, and nothing of it is stored`, async () => {
    const before = await held();
    assert.equal(write(body, version).kind, 'malformed');
    assert.equal(await held(), before);
  });

const REFUSED: readonly (readonly [what: string, series: WrittenSeries])[] = [
  ['no name of a metric', { ...series('a'), labels: [['pod', 'a']] }],
  ['an empty name of a metric', { ...series('a'), labels: [['__name__', '']] }],
  ['a label without a name', { ...series('a'), labels: [['__name__', 'up'], ['', 'x']] }],
  ['a label twice', { ...series('a'), labels: [['__name__', 'up'], ['a', 'x'], ['a', 'x']] }],
  ['labels of 100 kB', { ...series('a'), labels: [['__name__', 'up'], ['a', 'x'.repeat(100_000)]] }],
]; // prettier-ignore

for (const [what, refused] of REFUSED)
  test(`${what} is refused, and the rest of the request is stored`, async () => {
    const before = await held();
    for (const [i, encode] of [writeBody, writeBodyV2].entries()) {
      const body = snappy(encode([refused, series(what, 'good')]));
      const outcome = write(body, i === 0 ? '1.0' : '2.0');
      assert.ok(outcome.kind === 'refused', JSON.stringify(outcome));
      assert.equal(outcome.samples, 1);
      assert.match(outcome.reasons.join(), /^1 sample with labels that no series can have/);
    }
    assert.equal(await held(), before + 1);
  });

test('texts that are no UTF-8 are refused', () => {
  const bad = Buffer.concat([
    lengthDelimited(1, Buffer.from('__name__')),
    lengthDelimited(2, Buffer.from([0xc3])),
  ]);
  const sample = lengthDelimited(2, Buffer.concat([Buffer.from([16]), uvarint(NOW_MS)]));
  const body = lengthDelimited(1, Buffer.concat([lengthDelimited(1, bad), sample]));
  assert.equal(write(snappy(body)).kind, 'refused');
});

test('histograms are refused by name, exemplars only where the version has an answer for them', () => {
  const one = { ...series('a'), exemplars: 2 };
  assert.deepEqual(write(snappy(writeBody([one]))), {
    kind: 'stored',
    samples: 1,
    histograms: 0,
    exemplars: 0,
  });
  const refused = (reasons: string[]): WriteOutcome => ({ kind: 'refused', samples: 1, reasons });
  assert.deepEqual(
    write(snappy(writeBodyV2([one])), '2.0'),
    refused(['2 exemplars, which are not stored']),
  );
  for (const [encode, version] of [
    [writeBody, '1.0'],
    [writeBodyV2, '2.0'],
  ] as const)
    assert.deepEqual(
      write(snappy(encode([{ ...series('a'), histograms: 3 }])), version),
      refused(['3 native histograms, which are not stored']),
    );
});

test('series beyond the limit wait, and the samples of those that are there are stored', async () => {
  const known = series('known', 'good');
  write(snappy(writeBody([known])));
  const many = Array.from({ length: 60 }, (_, i) => series(`many-${i}`, 'bad'));
  const later = { ...known, samples: [{ timeMs: NOW_MS + 1, valueBits: 2n }] };
  const outcome = write(snappy(writeBody([...many, later])));
  assert.ok(outcome.kind === 'busy', JSON.stringify(outcome));
  assert.ok(outcome.retryAfterSeconds > 0);
  assert.match(outcome.reason, /no room for further series/);
  const read = await readBatches(
    store.read(
      { metric: 'good', matchers: [{ label: 'pod', operator: '=', value: 'known' }] },
      { startMs: 0, endMs: 2 ** 50 },
    ),
  );
  assert.deepEqual([...read.values()][0]?.timestampsMs, [NOW_MS, NOW_MS + 1]);
});

test('series whose labels take more than the memory of all series wait, and short ones find room', async () => {
  const own = { folder: join(home, 'long-labels'), ...limits, maxSeries: 20 };
  const small = await ReceiverStore.open(own, NOW_MS);
  const kindOf = (...pods: readonly string[]): string => {
    const body = snappy(writeBody(pods.map((pod) => series(pod))));
    const [outcome] = small.write([{ body, version: '1.0' }], NOW_MS);
    return outcome?.kind === 'busy' ? outcome.reason : (outcome?.kind ?? 'none');
  };
  const long = (letter: string): string => letter.repeat(15_000);
  assert.equal(kindOf(long('a')), 'stored');
  assert.match(kindOf(long('b'), 'short'), /no room for further series: 1 samples of new ones/);
  assert.equal(kindOf('short', long('a')), 'stored');
  small.close();
});

test('more samples a second than the rate are refused until it is made up for', async () => {
  const own = { folder: join(home, 'slow'), ...limits, maxSamplesPerSecond: 10 };
  const slow = await ReceiverStore.open(own, NOW_MS);
  const body = (pod: string): Uint8Array =>
    snappy(
      writeBody([
        {
          ...series(pod),
          samples: Array.from({ length: 80 }, (_, i) => ({ timeMs: NOW_MS + i, valueBits: 1n })),
        },
      ]),
    );
  const kinds = (nowMs: number, pod: string): string[] =>
    slow
      .write([{ body: body(pod), version: '1.0' }], nowMs)
      .map((outcome) =>
        outcome.kind === 'busy' ? `busy ${outcome.retryAfterSeconds}` : outcome.kind,
      );
  assert.deepEqual(kinds(NOW_MS, 'a'), ['stored']);
  assert.deepEqual(kinds(NOW_MS, 'b'), ['busy 3']);
  assert.deepEqual(kinds(NOW_MS + 2000, 'b'), ['busy 1']);
  assert.deepEqual(kinds(NOW_MS + 3100, 'b'), ['stored']);
  slow.close();
});

test('P-F1: garbage of every kind ends in an outcome, and what came before and after is there', async () => {
  const intact = snappy(writeBody([series('a'), series('b')]));
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 2048 }),
      fc.constantFrom('raw', 'packed', 'spoiled', 'cut'),
      fc.constantFrom('1.0' as const, '2.0' as const),
      fc.nat(),
      (bytes, how, version, at) => {
        const spoiled = Uint8Array.from(intact);
        for (const [i, byte] of bytes.subarray(0, 4).entries())
          spoiled[(at + 7 * i) % spoiled.length] = byte;
        const bodies = {
          raw: bytes,
          packed: snappy(bytes),
          spoiled,
          cut: intact.slice(0, at % intact.length),
        };
        assert.ok(
          ['stored', 'refused', 'malformed', 'busy'].includes(write(bodies[how], version).kind),
        );
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(['stored', 'busy'].includes(write(intact).kind));
});
