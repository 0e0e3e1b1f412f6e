import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  compileKernels,
  condense,
  createEngine,
  DamagedBatch,
  RecordReader,
  type ArenaBatch,
  type Block,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import {
  endsOrRefuses,
  placeBatch,
  strayWrite,
  type Range,
} from '../../support/references/arena-batch.ts';
import { encodeChunked, encodeFrame, encodeMessage } from '../../support/stores/chunked-frames.ts';
import {
  encodeLabels,
  encodeSamples,
  lengthDelimited,
} from '../../support/stores/samples-encoding.ts';
import { uvarint, type TestSeries } from '../../support/stores/samples-encoding.ts';
import {
  encodeStored,
  encodeStoredChunk,
  storedSeries,
} from '../../support/stores/stored-series.ts';

const engine = createEngine(compileKernels(), dirtyMemory(3 << 20, false), 1);
const { arena } = engine;
const OWNER = 2;
const OPTIONS = { keep: ['*'], identity: ['pod'], startMs: 0, endMs: 4e12, gapMs: 600_000 };
/** Scratch of checksums, the cursor's fields and columns, and the state's 64 KiB. */
const SCRATCH: Range[] = [
  [engine.crcTable, engine.rowCells - engine.crcTable],
  [engine.cursor, 64 + 16 * (4096 + 65536)],
  [engine.condenseState, 65536],
];

test('a write outside of what is allowed is found wherever it is, and each time', () => {
  const address = arena.allocate(1 << 17, OWNER) >>> 0;
  const memory = Buffer.from(arena.buffer);
  const around: Range[] = [
    [address + 100, 50],
    [address + 60, 20],
    [address + 110, 10],
  ];
  for (const at of [10, 59, 80, 99, 150, 70_000, memory.length - 1 - address]) {
    const write = (): void => {
      for (const place of [at, 60, 149])
        memory.writeUInt8(memory.readUInt8(address + place) ^ 1, address + place);
    };
    for (let time = 0; time < 2; time++)
      assert.equal(strayWrite(engine, write, () => around), address + at);
  }
  const within = (): void => void memory.fill(7, address + 100, address + 150);
  assert.equal(strayWrite(engine, within, () => around), -1);
  arena.release(OWNER);
}); // prettier-ignore

/** Condenses `bytes`; it may write only to its blocks and scratch, and its records can be read. */
function outcome(bytes: Uint8Array, encoding: ArenaBatch['encoding']): 'ended' | 'refused' {
  const blocks: Block[] = [];
  const batch = placeBatch(engine, OWNER, bytes, encoding);
  let ending: 'ended' | 'refused' = 'ended';
  const act = (): void => {
    ending = endsOrRefuses(() => condense(engine, batch, OPTIONS, blocks, OWNER));
  };
  const written = (): Range[] => [
    ...SCRATCH,
    ...blocks.map((block): Range => [block.address, block.usedBytes]),
  ];
  assert.equal(strayWrite(engine, act, written), -1, 'wrote outside its blocks');
  for (const record of new RecordReader(arena).read(blocks)) {
    assert.equal(record.pairs.length, 2 * record.runs);
    assert.ok(
      record.labels('').every(([name]) => record.label(name) !== undefined),
      'a label without a value',
    );
  }
  arena.release(OWNER);
  return ending;
}

const series: TestSeries[] = [
  {
    labels: [['pod', 'a'], ['label_app', 'x'.repeat(200)]],
    timestampsMs: [0, 60_000, 120_000, 180_000],
    values: [1, 2.5, NaN, 'stale'],
  },
  { labels: [['pod', 'b']], timestampsMs: [5, 60_005], values: [1, 1] },
]; // prettier-ignore

test('a wrong checksum is refused as such', () => {
  const frame = encodeChunked(series);
  for (let at = 3; at < frame.length; at++) {
    const damaged = Buffer.from(frame);
    damaged.writeUInt8((frame[at] ?? 0) ^ 1, at);
    const batch = placeBatch(engine, OWNER, damaged, 'chunked-read');
    assert.throws(() => condense(engine, batch, OPTIONS, [], OWNER), {
      name: 'DamagedBatch',
      message: 'a frame has a wrong checksum',
    });
    arena.release(OWNER);
  }
});

test('a batch cut off anywhere but between its frames or blocks is refused', () => {
  const rows: [ArenaBatch['encoding'], Buffer[]][] = [
    ['chunked-read', series.map((one) => encodeChunked([one]))],
    ['samples', series.map((one) => encodeSamples([one]))],
    ['stored-chunks', series.map((one) => encodeStored([one]))],
  ];
  for (const [encoding, frames] of rows) {
    const whole = Buffer.concat(frames);
    const boundaries = new Set([0, frames[0]?.length, whole.length]);
    for (let length = 0; length <= whole.length; length++) {
      const expected = boundaries.has(length) ? 'ended' : 'refused';
      assert.equal(outcome(whole.subarray(0, length), encoding), expected, `${encoding} ${length}`);
    }
  }
});

test('each flipped bit of a stored chunk, its length and checksum among them, is refused', () => {
  for (const one of series) {
    const whole = encodeStored([one]);
    const from = 24 + whole.readUInt32LE(0);
    const end = from + whole.readUInt32LE(4);
    for (let bit = 8 * from; bit < 8 * end; bit++) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8((whole[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      assert.equal(outcome(damaged, 'stored-chunks'), 'refused', `bit ${bit}`);
    }
  }
});

test('stored histograms are passed over, and encodings that nobody knows are refused', () => {
  for (const [encoding, expected] of [[0, 'refused'], [2, 'ended'], [3, 'ended'], [4, 'refused']] as const) {
    const chunks = encodeStoredChunk(Buffer.from([0, 1]), encoding);
    assert.equal(outcome(storedSeries([['pod', 'a']], chunks, [0, 1]), 'stored-chunks'), expected);
  }
}); // prettier-ignore

test('a message cut off inside its frame, with a checksum that agrees, is refused', () => {
  const message = encodeMessage(series.slice(0, 1)).subarray(0, -2);
  for (let length = 1; length < message.length; length++) {
    assert.equal(outcome(encodeFrame(message.subarray(0, length)), 'chunked-read'), 'refused');
  }
});

test('messages that do not follow prompb are refused', () => {
  const nine = Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 127]);
  const label = lengthDelimited(1, Buffer.from('pod'));
  const samples = encodeMessage([{ labels: [], timestampsMs: [0], values: [1] }]).subarray(2, -2);
  const rows: [string, Buffer][] = [
    ['an unknown field', Buffer.from([0x1a, 0])],
    ['a length of 63 bits', Buffer.concat([Buffer.from([0x0a]), nine])],
    ['a length of 61 bits whose lowest would do', lengthy(1n << 60n)],
    ['a length beyond 32 bits whose lowest would do', lengthy(1n << 32n)],
    ['a label longer than its series', Buffer.from([0x0a, 2, 0x0a, 5])],
    ['a name longer than its label', inSeries(Buffer.from([0x0a, 2, 0x0a, 9]), samples)],
    ['a label with a number', inSeries(Buffer.from([0x0a, 2, 0x08, 1]), samples)],
    ['a label field with a long tag', inSeries(Buffer.from([0x0a, 4, 0x8a, 0, 1, 65]), samples)],
    ['a label after the chunks', inSeries(encodeLabels([['a', 'b']]), samples, label)],
  ];
  for (const [title, message] of rows) {
    assert.equal(outcome(encodeFrame(message), 'chunked-read'), 'refused', title);
  }
  function lengthy(beyond: bigint): Buffer {
    const whole = encodeMessage(series.slice(1));
    const body = whole.subarray(2, -2);
    return Buffer.concat([Buffer.from([0x0a]), uvarint(beyond + BigInt(body.length)), body]);
  }
  function inSeries(...parts: Buffer[]): Buffer {
    return lengthDelimited(1, Buffer.concat(parts));
  }
});

test('damaged bytes never trap and are never written outside the blocks', () => {
  const change = fc.tuple(fc.nat(2000), fc.nat(255));
  const frame = encodeMessage(series);
  const blocks = encodeSamples(series);
  const stored = encodeStored(series);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      const [message, samples] = [Buffer.from(frame), Buffer.from(blocks)];
      const heads = Buffer.from(stored);
      for (const [at, byte] of changes) {
        message.writeUInt8(byte, at % message.length);
        samples.writeUInt8(byte, at % samples.length);
        heads.writeUInt8(byte, at % heads.length);
      }
      assert.match(outcome(heads, 'stored-chunks'), /ended|refused/);
      assert.match(outcome(encodeFrame(message), 'chunked-read'), /ended|refused/);
      assert.match(outcome(samples, 'samples'), /ended|refused/);
    }),
    { numRuns: 200 },
  );
});

test('random bytes never trap and are never written outside the blocks', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.match(outcome(bytes, 'chunked-read'), /ended|refused/);
      assert.match(outcome(encodeFrame(bytes), 'chunked-read'), /ended|refused/);
      assert.match(outcome(bytes, 'samples'), /ended|refused/);
      assert.match(outcome(bytes, 'stored-chunks'), /ended|refused/);
    }),
    { numRuns: 200 },
  );
});

test('after a refusal the next batch is condensed as if nothing had happened', () => {
  const bytes = encodeChunked(series);
  const rows = [bytes.subarray(0, 40), Buffer.from([1, 0, 0, 0, 0, 0]), bytes.subarray(0, -1)];
  for (const damaged of rows) {
    assert.equal(outcome(damaged, 'chunked-read'), 'refused');
    assert.equal(outcome(bytes, 'chunked-read'), 'ended');
  }
  assert.ok(new DamagedBatch(-1) instanceof Error, 'not an Error');
});

test('names to keep that do not fit into the scratch are a bug, and nothing is written', () => {
  const batch = placeBatch(engine, OWNER, encodeSamples(series), 'samples');
  const keep = ['pod', 'x'.repeat(70_000)];
  const act = (): void =>
    assert.throws(() => condense(engine, batch, { ...OPTIONS, keep }, [], OWNER), /^Error: BUG:/);
  assert.equal(
    strayWrite(engine, act, () => [[engine.cursor, 64]]),
    -1,
  );
  arena.release(OWNER);
});
