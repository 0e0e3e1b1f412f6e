/** Answers to requests when memory is full. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArenaFull, HeapFull } from '../../src/columnar/index.ts';
import { errorReply } from '../../src/http/reply.ts';
import { asRequestError } from '../../src/query/index.ts';

const MIB = 2 ** 20;

test('a full worker heap is 422 with a hint to request less; a full arena is 503 with a time to retry', () => {
  const logged: string[] = [];
  const log = (message: string): void => void logged.push(message);
  const full = errorReply(new HeapFull(158.4 * MIB), log);
  assert.equal(full.status, 422);
  assert.deepEqual(JSON.parse(full.body as string), {
    code: 422,
    message: 'this needs more than the 158.4 MiB of memory that a worker has',
    data: null,
    hint: 'ask for a shorter window, coarser groups or fewer items at once; or give the server more memory (--memory-limit)',
  });
  const crowded = errorReply(new ArenaFull(4096, 1024), log);
  assert.equal(crowded.status, 503);
  assert.equal(crowded.headers['retry-after'], '1');
  const { message } = JSON.parse(crowded.body as string) as { readonly message: string };
  assert.match(message, /^cannot compute this now: .*4096 bytes wanted, 1024 free$/);
  assert.deepEqual(logged, []);
});

test('other errors are unchanged', () => {
  for (const error of [new Error('BUG'), 'a text', undefined])
    assert.equal(asRequestError(error), error);
});
