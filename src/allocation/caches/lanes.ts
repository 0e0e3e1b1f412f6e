/** Work on many things, a few at once. */
import { ArenaFull } from '../../columnar/index.ts';

/** Sets of one answer that are worked on at once. */
const AHEAD = 4;

/**
 * Results in the order of the items. Where there is no room in the arena for a few at once, fewer are, at last one
 * alone. A failure is thrown once nothing runs any more.
 * @throws {ArenaFull} where one does not fit alone
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const crowdedOut: (readonly [number, Item])[] = [];
  const count = Math.min(AHEAD, items.length);
  const lane = async (): Promise<void> => {
    for (const [i, item] of queue)
      try {
        results[i] = await run(item);
      } catch (error) {
        if (!(error instanceof ArenaFull) || count === 1) throw error;
        crowdedOut.push([i, item]);
        return;
      }
  };
  const lanes = Array.from({ length: count }, lane);
  // Memory must not be freed under a lane that still runs.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  for (const [i, item] of [...crowdedOut, ...queue]) results[i] = await run(item);
  return results;
}
