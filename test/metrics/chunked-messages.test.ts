import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BatchMemory, MessageScan } from '../../src/metrics/readers/chunked-messages.ts';
import { uvarint } from '../support/stores/samples-encoding.ts';

const MIB = 1024 * 1024;

/** A frame with any checksum, as the scan does not check it. */
function frame(message: Uint8Array): Buffer {
  return Buffer.concat([uvarint(message.length), Buffer.alloc(4, 0xab), message]);
}

function* inChunks(bytes: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  at.sort((a, b) => a - b);
  for (let i = 1; i < at.length; i++) yield bytes.subarray(at[i - 1], at[i]);
}

const room = (bytes: number): Uint8Array => new Uint8Array(bytes);

function batchesOf(body: Iterable<Uint8Array>): Uint8Array[] {
  const scan = new MessageScan(new BatchMemory(), room);
  const batches: Uint8Array[] = [];
  for (const chunk of body) batches.push(...scan.push(chunk));
  const rest = scan.finish();
  return rest.length > 0 ? [...batches, rest] : batches;
}

test('batches have the same bytes, cut only between frames, for any chunks of the body', () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(3 * MIB)), { maxLength: 8 });
  fc.assert(
    fc.property(sizes, fc.array(fc.nat(), { maxLength: 30 }), (lengths, cuts) => {
      const frames = lengths.map((length, i) => frame(Buffer.alloc(length, i)));
      const body = Buffer.concat(frames);
      const batches = batchesOf(inChunks(body, cuts));
      assert.ok(Buffer.concat(batches).equals(body), 'not the same bytes');
      for (const batch of batches) {
        let bytes = 0;
        let count = 0;
        while (bytes < batch.length) {
          bytes += frames.shift()?.length ?? Number.NaN;
          count++;
        }
        assert.equal(bytes, batch.length);
        assert.ok(batch.length <= MIB || count === 1, `${count} frames in ${batch.length} bytes`);
      }
    }),
    { seed: 7, numRuns: 60 },
  );
});

test('chunks of one byte give the same batch', () => {
  const body = Buffer.concat([
    frame(Buffer.alloc(200, 1)),
    frame(Buffer.alloc(0)),
    frame(Buffer.of(3)),
  ]);
  const cuts = Array.from({ length: body.length }, (_, i) => i);
  assert.deepEqual(Buffer.concat(batchesOf(inChunks(body, cuts))), body);
});

test('small frames are gathered to about 1 MiB', () => {
  const body = Buffer.concat(Array.from({ length: 5000 }, () => frame(Buffer.alloc(1000))));
  const cuts = Array.from({ length: 100 }, (_, i) => 65536 * i).filter((cut) => cut < body.length);
  const sizes = batchesOf(inChunks(body, cuts)).map((batch) => batch.length);
  assert.equal(sizes.length, 5);
  for (const size of sizes.slice(0, -1)) assert.ok(size > MIB - 2000, `${size}`);
});

const BROKEN: readonly (readonly [what: string, body: Buffer, kind: string, detail: RegExp])[] = [
  ['a varint of ten bytes', Buffer.alloc(10, 0xff), 'damaged', /does not end/],
  ['a length of 64 MiB and one', uvarint(64 * MIB + 1), 'damaged', /67108865 bytes/],
  ['part of a length', Buffer.of(0x80), 'cut off', /1 bytes of a frame/],
  ['a length alone', uvarint(300), 'cut off', /2 bytes of a frame/],
  ['a message one byte short', frame(Buffer.alloc(9)).subarray(0, -1), 'cut off', /13 bytes/],
];

for (const [what, body, kind, message] of BROKEN)
  test(`${what} is ${kind}`, () => {
    assert.throws(() => batchesOf(inChunks(body, [])), { name: 'BrokenFrames', kind, message });
  });

test('an empty body is no batch', () => {
  assert.deepEqual(batchesOf(inChunks(Buffer.alloc(0), [])), []);
});
