/** The real process, refused what it asks of the system, or killed at any moment. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../bench/random.ts';
import { skipWithout } from '../support/servers/services.ts';
import {
  found,
  inPairs,
  newFolder,
  STATES,
  strace,
  write,
} from '../support/stores/store-process.ts';

describe('under strace', { skip: skipWithout('strace') }, () => {
  test('P-C2: a refused fsync or rename is reported, and the stored sets stay', async () => {
    // Opening and the first change sync eight times, and rename four times.
    const points = [9, 10, 11, 12].map((n) => `fsync:error=EIO:when=${n}`);
    const full = [5, 6].map((n) => `rename:error=ENOSPC:when=${n}`);
    await inPairs([...points, ...full], async (point) => {
      const folder = newFolder();
      const { stored, said } = await write(folder, strace(point));
      assert.match(said, /Unavailable: cannot change .*(EIO|ENOSPC)/, point);
      assert.equal(stored, 1, point);
      assert.equal(await found(folder, point), STATES[stored], point);
    });
  });
});

test('P-C3: a file that the system cuts short is not stored', async () => {
  const folder = newFolder();
  const { stored, said } = await write(folder, ['sh', '-c', 'ulimit -f 32; exec "$@"', 'sh']);
  assert.match(said, /Unavailable: cannot change .*EFBIG/);
  assert.equal(stored, 1);
  assert.equal(await found(folder, 'cut short'), STATES[1]);
});

test('P-C1: killed at any moment', async () => {
  const random = seededRandom(3);
  const delaysMs = Array.from({ length: 8 }, () => random() * 40);
  await inPairs(delaysMs, async (delayMs) => {
    const folder = newFolder();
    const where = `${delayMs.toFixed(1)} ms after the start`;
    const { stored } = await write(folder, [], delayMs);
    const state = await found(folder, where);
    const allowed = STATES.slice(stored, stored + 2);
    assert.ok(allowed.includes(state), `${where}: ${state}, not ${allowed.join(' or ')}`);
  });
});
