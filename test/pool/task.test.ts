import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packInput, task, unpackOutput } from '../../src/pool/task.ts';

test('posting a message copies that message only', async () => {
  const long = 'x'.repeat(1 << 20);
  const echo = task((input: string) => input);
  for (const text of [long, 'short']) {
    const input = packInput(text);
    const output = await echo(input);
    assert.equal(unpackOutput(output), text);
    // Posting a view copies its whole buffer.
    for (const bytes of [input, output]) assert.equal(bytes.buffer.byteLength, bytes.byteLength);
  }
});
