import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { encodeReadRequest } from '../../src/metrics/readers/remote-read-request.ts';

/** Fields as [number, value]; bytes are read as messages where `messages` says so. */
function read(bytes: Uint8Array, messages: Readonly<Record<string, object>>): unknown[] {
  const reader = new BinaryReader(bytes);
  const found: unknown[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const inner = messages[field];
    if (type === 0) found.push([field, Number(reader.int64())]);
    else if (inner === undefined) found.push([field, Buffer.from(reader.bytes()).toString()]);
    else found.push([field, read(reader.bytes(), inner as Record<string, object>)]);
  }
  return found;
}

test('a read request is one query with its matchers and hints, and asks for XOR chunks', () => {
  const bytes = encodeReadRequest(
    {
      metric: 'up',
      matchers: [
        { label: 'job', operator: '!=', value: 'a' },
        { label: 'pod', operator: '=~', value: 'b.*' },
        { label: 'node', operator: '!~', value: 'é' },
      ],
    },
    { startMs: 1_700_000_000_000.25, endMs: 1_700_000_060_000.5 },
  );
  const [startMs, endMs] = [1_700_000_000_000, 1_700_000_060_001];
  assert.deepEqual(read(bytes, { 1: { 3: {}, 4: {} } }), [
    [
      1,
      [
        [1, startMs],
        [2, endMs],
        [3, [[1, 0], [2, '__name__'], [3, 'up']]],
        [3, [[1, 1], [2, 'job'], [3, 'a']]],
        [3, [[1, 2], [2, 'pod'], [3, 'b.*']]],
        [3, [[1, 3], [2, 'node'], [3, 'é']]],
        [4, [[3, startMs], [4, endMs]]],
      ],
    ],
    [2, '\u0001'],
  ]); // prettier-ignore
});
