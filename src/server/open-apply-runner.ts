/** Planning and applying container requests, as the configuration limits it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import {
  ApplyRunner,
  applyRoutes,
  FolderLogs,
  Journal,
  moveLogs,
  type BodyOptions,
  type RunLogs,
} from '../request-sizing/index.ts';
import { storeOf } from '../settings/store.ts';
import { ObjectLogs } from '../storage/objects/object-logs.ts';
import { clockOf } from './clock.ts';
import type { OpenCluster } from './open-cluster.ts';
import { objectPlaceOf } from './open-sets.ts';
import type { StoreSurroundings } from './parts/store-wait.ts';
import { sourceKindOf } from './source-kind.ts';

export interface OpenSizer {
  readonly routes: readonly Route[];
  /** Ends an apply that runs, once the controller it is at is done. */
  close(): Promise<void>;
}

/**
 * @param cluster undefined while the controller is switched off
 * @param bodies options of reading bodies
 * @param surroundings its `note` gets a sentence for each change, what was not changed and why, and what an earlier
 * process left undone
 */
export async function openApplyRunner(
  config: Config,
  cluster: OpenCluster | undefined,
  bodies: BodyOptions,
  { note, opening }: StoreSurroundings,
): Promise<OpenSizer> {
  if (cluster === undefined) {
    return {
      routes: applyRoutes({ ...bodies, runner: undefined, note }),
      close: () => Promise.resolve(),
    };
  }
  const { nowMs } = clockOf(config);
  const { logs, forget } = await opening(() => openLogs(config, note));
  const runner = new ApplyRunner({
    ...cluster,
    floors: {
      cpu: BigInt(config.leastCpuMillicores) * 10n ** 6n,
      memory: BigInt(config.leastRamBytes) * 10n ** 9n,
    },
    denied: new Set(config.deniedNamespaces),
    journal: new Journal(logs, nowMs),
    nowMs,
    note,
  });
  runner.settle().catch((error: unknown) => note(`what interrupted applies did: ${String(error)}`));
  return {
    routes: applyRoutes({ ...bodies, runner, note }),
    async close() {
      await runner.close();
      await forget();
    },
  };
}

const NAME = 'request-sizing';

interface OpenLogs {
  readonly logs: RunLogs;
  /** Removes what does not outlive the process. */
  readonly forget: () => Promise<void>;
}

/**
 * In the bucket where sets are, so that servers share them; else in the data folder. Changes to a simulated cluster are
 * remembered as long as it lives, as without either.
 */
async function openLogs(config: Config, note: (sentence: string) => void): Promise<OpenLogs> {
  const { dataDir } = config;
  const place = storeOf(config);
  const isLasting = sourceKindOf(config) !== 'demo';
  const nothing = (): Promise<void> => Promise.resolve();
  const inFolder = dataDir === undefined ? undefined : new FolderLogs(join(dataDir, NAME));
  if (isLasting && place.kind === 'bucket') {
    const logs = new ObjectLogs({ ...objectPlaceOf(config, place), folder: NAME });
    if (inFolder !== undefined && (await moveLogs(inFolder, logs)))
      note(
        'the journals of applied requests of the data folder are in the store now, which has had none',
      );
    return { logs, forget: nothing };
  }
  if (isLasting && inFolder !== undefined) return { logs: inFolder, forget: nothing };
  const folder = await mkdtemp(join(tmpdir(), `prorata-${NAME}-`));
  const logs = new FolderLogs(folder);
  return { logs, forget: () => rm(folder, { recursive: true, force: true }) };
}
