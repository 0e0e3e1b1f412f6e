/** The metrics store as the configuration describes it. */
import { openBlocks, readBlocksUrl, type BlocksPlace, type BlocksStore } from '../blocks/index.ts';
import { cloudOptions } from '../settings/cloud-options.ts';
import type { Config } from '../settings/config.ts';
import { blocksMemory } from '../settings/memory-budget.ts';
import { createCredentials, openStore, readTls, type OpenStore } from '../metrics/index.ts';

/**
 * The first read finds out which reader suits the store, unless the configuration names one.
 * @throws {Fault} for credentials that contradict one another or files that cannot be read
 */
export function openConfiguredStore(
  config: Config,
  url: string,
  { idleTimeoutMs, onRetry }: { readonly idleTimeoutMs: number; readonly onRetry?: () => void },
): OpenStore | BlocksStore {
  const place = readBlocksUrl(url);
  if (place !== undefined) return openConfiguredBlocks(config, url, place);
  return openStore({
    url,
    reader: config.metricsReader,
    idleTimeoutMs,
    onRetry,
    totalTimeoutMs: config.readTimeoutMs,
    ...(config.isMemoryChecked ? { isMemoryChecked: true } : {}),
    credentials: createCredentials({
      user: config.metricsUser,
      password: config.metricsPassword,
      passwordFile: config.metricsPasswordFile,
      token: config.metricsToken,
      tokenFile: config.metricsTokenFile,
      tenant: config.metricsTenant,
      headers: config.metricsHeader,
    }),
    tls: readTls({
      caFile: config.metricsCaFile,
      certFile: config.metricsCertFile,
      keyFile: config.metricsKeyFile,
    }),
  });
}

/** Buckets are read by the identity that bills are read by. */
function openConfiguredBlocks(config: Config, url: string, place: BlocksPlace): BlocksStore {
  const { nowMs: _nowMs, ...cloud } = cloudOptions(config);
  const { headerBytes, aheadBytes } = blocksMemory(config.memoryLimitBytes);
  const { metricsTenant: tenant, metricsReplicaLabels: replicaLabels } = config;
  return openBlocks({
    url,
    place,
    tenant: tenant === undefined ? '' : `${tenant}/`,
    replicaLabels,
    cloud,
    headerBytes,
    aheadBytes,
    totalTimeoutMs: config.readTimeoutMs,
  });
}
