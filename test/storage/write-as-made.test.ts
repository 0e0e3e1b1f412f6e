/** Sets that are written while the next ones are made. */
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EncodedSet } from '../../src/storage/index.ts';
import { writeAsMade } from '../../src/storage/write-as-made.ts';
import { dayKey, encoded } from '../support/stores/stored-sets.ts';

const about = await encoded(dayKey(0), { cost: [1] });

interface Written {
  readonly numbers: number[];
  readonly freed: number[];
  mostAtOnce: number;
  underWay: number;
}

/** Sets are numbers; those without bytes of their own share one room. */
async function writtenOf(own: readonly boolean[], failing: number): Promise<Written> {
  const written: Written = { numbers: [], freed: [], mostAtOnce: 0, underWay: 0 };
  const room = new Uint8Array(1);
  function* sets(): Generator<EncodedSet> {
    for (const [i, isOwn] of own.entries()) {
      if (!isOwn) room[0] = i;
      const free = isOwn ? { free: (): void => void written.freed.push(i) } : {};
      yield { ...about, bytes: isOwn ? Uint8Array.of(i) : room, ...free };
    }
  }
  let begun = 0;
  await writeAsMade(sets(), async ({ bytes }) => {
    const which = begun++;
    written.mostAtOnce = Math.max(written.mostAtOnce, ++written.underWay);
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    written.underWay--;
    if (which === failing) throw new Error('the disk is full');
    written.numbers.push(bytes[0] ?? -1);
  }).catch((error: Error) => assert.equal(error.message, 'the disk is full'));
  return written;
}

test('each set is written as it was made and freed once, a few at a time, and none is under way at the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { maxLength: 9 }),
      fc.integer({ min: -1, max: 9 }),
      async (own, failing) => {
        const { numbers, freed, mostAtOnce, underWay } = await writtenOf(own, failing);
        assert.equal(underWay, 0);
        assert.ok(mostAtOnce <= 3, `${mostAtOnce} at once`);
        assert.deepEqual(
          freed,
          freed.filter((i, at) => own[i] && freed.indexOf(i) === at),
        );
        if (failing >= 0 && failing < own.length) return;
        assert.deepEqual(
          numbers,
          own.map((_, i) => i),
        );
        assert.deepEqual(
          freed,
          own.flatMap((isOwn, i) => (isOwn ? [i] : [])),
        );
      },
    ),
    { numRuns: 60 },
  );
});
