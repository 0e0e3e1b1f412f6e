/** Work on many things, a few at once. */

/** Sets of one answer that are worked on at once. */
const AHEAD = 4;

/** Results in the order of the items. A failure is thrown once nothing runs any more. */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [i, item] of queue) results[i] = await run(item);
  };
  const lanes = Array.from({ length: Math.min(AHEAD, items.length) }, lane);
  // Memory must not be freed under a lane that still runs.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return results;
}
