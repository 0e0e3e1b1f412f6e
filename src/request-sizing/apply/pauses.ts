/** Long lists on the main thread, with pauses for other requests. */
import { setImmediate } from 'node:timers/promises';

/** Items between two pauses; each takes a few microseconds. */
const AT_ONCE = 500;

export async function* withPauses<Item>(items: readonly Item[]): AsyncGenerator<Item, void> {
  for (const [i, item] of items.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) await setImmediate();
    yield item;
  }
}
