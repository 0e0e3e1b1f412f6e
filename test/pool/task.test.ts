import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packInput, task, unpackOutput } from '../../src/pool/task.ts';

test('posting a message copies that message only', async () => {
  const long = 'x'.repeat(1 << 20);
  const echo = task((input: string) => input);
  for (const text of [long, 'short']) {
    const input = packInput(text);
    const output = await echo(input);
    assert.equal(
      unpackOutput(output, () => undefined),
      text,
    );
    // Posting a view copies its whole buffer.
    for (const bytes of [input, output]) assert.equal(bytes.buffer.byteLength, bytes.byteLength);
  }
});

test('a task tells what it took of its worker, whether it succeeds or not', async () => {
  for (const isRight of [true, false]) {
    const slow = task(() => {
      const endMs = performance.now() + 20;
      while (performance.now() < endMs);
      if (!isRight) throw new Error('wrong');
      return 1;
    });
    const took: number[] = [];
    const output = await slow(packInput(null));
    const unpacked = (): unknown => unpackOutput(output, (tookMs) => took.push(tookMs));
    if (isRight) assert.equal(unpacked(), 1);
    else assert.throws(unpacked, /wrong/);
    assert.equal(took.length, 1);
    assert.ok(took.every((ms) => ms >= 20));
  }
});
