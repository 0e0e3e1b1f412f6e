/** HTTP engines that tests run on: `node` everywhere, `uws` if its build can be loaded. */
import { loadFrontEnd, type FrontEndName } from '../../src/http/index.ts';

/** From this version on builds need a C library that is newer than that of Debian 12. */
const MAY_LACK_FROM = 24;

async function hasNative(): Promise<boolean> {
  try {
    await loadFrontEnd('uws');
    return true;
  } catch (error) {
    if (Number.parseInt(process.versions.node, 10) < MAY_LACK_FROM) throw error;
    return false;
  }
}

export const FRONT_END_NAMES: readonly FrontEndName[] = (await hasNative())
  ? ['uws', 'node']
  : ['node'];

/** The one that servers on loopback use by default. */
export const FASTEST: FrontEndName = FRONT_END_NAMES[0] ?? 'node';
