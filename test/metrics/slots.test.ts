import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Slots } from '../../src/metrics/slots.ts';

const NEVER = new AbortController().signal;

test('slots are given in the order they were asked for', async () => {
  const slots = new Slots(2);
  const entered: number[] = [];
  const held = await Promise.all([slots.take(NEVER), slots.take(NEVER)]);
  const waiting = [1, 2, 3].map(async (n) => {
    const giveBack = await slots.take(NEVER);
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

test('one who gives up waiting gets the reason, and the slot goes to the next', async () => {
  const slots = new Slots(1);
  const giveBack = await slots.take(NEVER);
  const controller = new AbortController();
  const impatient = slots.take(controller.signal);
  const patient = slots.take(NEVER);
  controller.abort(new Error('enough'));
  await assert.rejects(impatient, /enough/);
  giveBack();
  (await patient)();
  (await slots.take(NEVER))();
  await assert.rejects(slots.take(controller.signal), /enough/);
});
