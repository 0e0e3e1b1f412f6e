/** Planning and applying container requests, as the configuration limits it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import { Journal, ApplyRunner, applyRoutes, type BodyOptions } from '../request-sizing/index.ts';
import { clockOf } from './clock.ts';
import type { OpenCluster } from './open-cluster.ts';
import { sourceKindOf } from './source-kind.ts';

export interface OpenSizer {
  readonly routes: readonly Route[];
  /** Ends an apply that runs, once the controller it is at is done. */
  close(): Promise<void>;
}

/**
 * @param cluster undefined while the controller is switched off
 * @param bodies options of reading bodies
 * @param note gets a sentence for each change, what was not changed and why, and what an earlier process left undone
 */
export async function openApplyRunner(
  config: Config,
  cluster: OpenCluster | undefined,
  bodies: BodyOptions,
  note: (sentence: string) => void,
): Promise<OpenSizer> {
  if (cluster === undefined) {
    return {
      routes: applyRoutes({ ...bodies, runner: undefined, note }),
      close: () => Promise.resolve(),
    };
  }
  const { nowMs } = clockOf(config);
  const lasting = lastingFolder(config);
  const folder = lasting ?? (await mkdtemp(join(tmpdir(), 'prorata-request-sizing-')));
  const runner = new ApplyRunner({
    ...cluster,
    floors: {
      cpu: BigInt(config.leastCpuMillicores) * 10n ** 6n,
      memory: BigInt(config.leastRamBytes) * 10n ** 9n,
    },
    denied: new Set(config.deniedNamespaces),
    journal: new Journal(folder, nowMs),
    nowMs,
    note,
  });
  runner.settle().catch((error: unknown) => note(`what interrupted applies did: ${String(error)}`));
  return {
    routes: applyRoutes({ ...bodies, runner, note }),
    async close() {
      await runner.close();
      if (lasting === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Changes to a simulated cluster are remembered as long as it lives, as without a data folder. */
function lastingFolder(config: Config): string | undefined {
  const { dataDir } = config;
  if (dataDir === undefined || sourceKindOf(config) === 'demo') return undefined;
  return join(dataDir, 'request-sizing');
}
