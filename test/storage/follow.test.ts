/** Looks at a store for what others changed in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';
import { follow } from '../../src/storage/follow.ts';

test('a store that does not answer is not looked at again before it has, and then it is, until the end', async () => {
  let looks = 0;
  let fail = (): void => undefined;
  const look = (): Promise<void> => {
    looks++;
    return new Promise((_, reject) => (fail = () => reject(new Error('the store is away'))));
  };
  const end = follow(look, 1);
  const looked = async (times: number): Promise<void> => {
    for await (const _ of setInterval(1)) if (looks >= times) return;
  };
  await looked(1);
  await sleep(20);
  assert.equal(looks, 1, 'none while one is under way');
  fail();
  await looked(2);
  fail();
  end();
  await sleep(20);
  assert.equal(looks, 2, 'none after the end');
});
