import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packInput, task, unpackOutput } from '../../src/pool/task.ts';

test('a message is posted alone, whatever was sent before it', async () => {
  const long = 'x'.repeat(1 << 20);
  const echo = task((input: string) => input);
  for (const text of [long, 'short']) {
    const input = packInput(text);
    const output = await echo(input);
    assert.equal(unpackOutput(output), text);
    // All of a view's buffer is copied when it is posted.
    for (const bytes of [input, output]) assert.equal(bytes.buffer.byteLength, bytes.byteLength);
  }
});
