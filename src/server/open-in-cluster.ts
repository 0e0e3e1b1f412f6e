/** Watching the cluster that prorata runs in, and acting on it: each off unless switched on. */
import type { Config } from '../settings/config.ts';
import { storeOf } from '../settings/store.ts';
import type { Route } from '../http/index.ts';
import type { PredictionOptions } from '../prediction/index.ts';
import type { BodyOptions } from '../request-sizing/index.ts';
import { openAudit } from './open-audit.ts';
import { openCluster } from './open-cluster.ts';
import { openApplyRunner } from './open-apply-runner.ts';
import type { StoreSurroundings } from './parts/store-wait.ts';
import { sourceKindOf } from './source-kind.ts';

export interface InCluster {
  readonly routes: readonly Route[];
  /** For `/readyz?verbose`: the API, and the state of following it. */
  state(): object;
  close(): Promise<void>;
}

/** @param bodies options of reading bodies */
export async function openInCluster(
  config: Config,
  prediction: PredictionOptions,
  bodies: BodyOptions,
  surroundings: StoreSurroundings,
): Promise<InCluster> {
  const { isClusterController } = config;
  const isWatching = config.isCostEventsAudit && !isOnlyTold(config);
  const cluster = isClusterController || isWatching ? await openCluster(config) : undefined;
  const runner = await openApplyRunner(
    config,
    isClusterController ? cluster : undefined,
    bodies,
    surroundings,
  );
  const watched = isWatching ? cluster : undefined;
  const audit = await openAudit(config, watched, prediction, surroundings);
  return {
    routes: [...runner.routes, ...audit.routes],
    state() {
      const costEventsAudit = audit.state();
      return {
        ...(cluster === undefined ? {} : { cluster: cluster.api.name }),
        ...(costEventsAudit === undefined ? {} : { costEventsAudit }),
      };
    },
    async close() {
      await Promise.all([runner.close(), audit.close()]);
      cluster?.api.close();
    },
  };
}

/** Without a metrics store a server is of no cluster; those that share its bucket tell it of cost events. */
function isOnlyTold(config: Config): boolean {
  return storeOf(config).kind === 'bucket' && sourceKindOf(config) === 'none';
}
