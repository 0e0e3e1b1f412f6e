/** The stored sets, as the manifest has them, and whether their files look so; `prorata fsck` reads every byte. */
import { statfs } from 'node:fs/promises';
import type { Config } from '../../settings/config.ts';
import { nameOfStorePlace, storeOf, type StorePlace } from '../../settings/store.ts';
import { quickCheck, type Damage, type QueriedSets } from '../../storage/index.ts';
import { quickCheckObjects } from '../../storage/objects/fsck.ts';
import { objectPlaceOf } from '../open-sets.ts';
import { found, foundThat, type Found } from './findings.ts';

const FREE_BYTES_MIN = 100 * 2 ** 20;
const WARNINGS_MAX = 10;
/** A list of a bucket. */
const LOOK_MS = 60_000;

export async function folder(sets: QueriedSets, config: Config): Promise<Found[]> {
  const store = storeOf(config);
  const path = store.kind === 'folder' ? store.folder : undefined;
  const infos = sets.kinds().flatMap((kind) => sets.list(kind));
  const known = infos.flatMap(({ damage, insteadOf }) => damage ?? insteadOf ?? []);
  const seen = await damageIn(config, store);
  const damages = [...new Set([...seen, ...known])];
  const bytes = infos.reduce((sum, info) => sum + info.bytes, 0);
  return [
    found('folder', nameOfStorePlace(store) ?? 'none, sets are in memory'),
    found('sets', `${infos.length}, ${Math.ceil(bytes / 2 ** 20)} MiB`),
    foundThat(
      'damaged',
      damages.length === 0 ? 'none' : damages.slice(0, WARNINGS_MAX).join('; '),
      damages.length === 0 ? 'ok' : 'bad',
      'they are built again where the store still has their days; prorata fsck tells all',
    ),
    ...(path === undefined ? [] : await freeDisk(path)),
    ...lastBuild(sets),
  ];
}

/** What cannot be looked at counts as damaged: the other findings are told all the same. */
async function damageIn(config: Config, store: StorePlace): Promise<string[]> {
  try {
    const seen = await quickChecked(config, store);
    return seen.map(({ what, reason }) => `${what}: ${reason}`);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function quickChecked(config: Config, store: StorePlace): Promise<readonly Damage[]> {
  if (store.kind === 'folder') return await quickCheck(store.folder);
  if (store.kind !== 'bucket') return [];
  return await quickCheckObjects(objectPlaceOf(config, store), AbortSignal.timeout(LOOK_MS));
}

async function freeDisk(path: string): Promise<Found[]> {
  const disk = await statfs(path).catch(() => undefined);
  if (disk === undefined) return [];
  const freeBytes = disk.bavail * disk.bsize;
  const text = `${Math.floor(freeBytes / 2 ** 20)} MiB`;
  const state = freeBytes < FREE_BYTES_MIN ? 'bad' : 'ok';
  return [foundThat('free on its disk', text, state, 'nothing is stored once the disk is full')];
}

/** The day that was built last, and what its warnings say. */
function lastBuild(sets: QueriedSets): Found[] {
  const days = sets.list('allocations').toSorted((a, b) => a.meta.createdMs - b.meta.createdMs);
  const last = days.at(-1);
  if (last === undefined) return [found('last build', 'none')];
  const { key, meta } = last;
  const of = `${new Date(key.startMs).toISOString()}, made ${new Date(meta.createdMs).toISOString()}`;
  const warnings = meta.warnings.slice(0, WARNINGS_MAX).map((warning) => String(warning));
  return [found('last build', of), found('its warnings', warnings.join('; ') || 'none')];
}
