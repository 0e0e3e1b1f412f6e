import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadTurns } from '../../src/metrics/client/read-turns.ts';

const NEVER = new AbortController().signal;

test('turns are given in the order of requests', async () => {
  const turns = new ReadTurns(2);
  const entered: number[] = [];
  const held = await Promise.all([turns.take(NEVER), turns.take(NEVER)]);
  const waiting = [1, 2, 3].map(async (n) => {
    const giveBack = await turns.take(NEVER);
    entered.push(n);
    return giveBack;
  });
  held[0]?.();
  const first = await Promise.race(waiting);
  assert.deepEqual(entered, [1]);
  held[1]?.();
  first();
  await Promise.all(waiting);
  assert.deepEqual(entered, [1, 2, 3]);
});

test('an aborted waiter gets the reason, and the turn goes to the next', async () => {
  const turns = new ReadTurns(1);
  const giveBack = await turns.take(NEVER);
  const controller = new AbortController();
  const aborted = turns.take(controller.signal);
  const other = turns.take(NEVER);
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
  giveBack();
  (await other)();
  (await turns.take(NEVER))();
  await assert.rejects(turns.take(controller.signal), /enough/);
});
