/** The metrics store as the configuration describes it. */
import { statSync } from 'node:fs';
import { openBlocks, readBlocksUrl, type BlocksPlace, type BlocksStore } from '../blocks/index.ts';
import { cloudOptions } from '../settings/cloud-options.ts';
import type { Config } from '../settings/config.ts';
import { blocksMemory } from '../settings/memory-budget.ts';
import {
  createCredentials,
  openStore,
  readTls,
  type OpenStore,
  type OpenStoreOptions,
} from '../metrics/index.ts';
import { Fault } from '../query/index.ts';
import { codeOf } from '../storage/disk-error.ts';
import { storeSigners } from './metrics-stores/store-signers.ts';

/**
 * The first read finds out which reader suits the store, unless the configuration names one.
 * @throws {Fault} for credentials that contradict one another, files that cannot be read, and a folder that is not there
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
    ...accessOf(config),
    ...storeSigners(config)(config.metricsAuth, url),
  });
}

/** How the metrics store is asked, as the settings tell it. @throws {Fault} for credentials that contradict one another */
export function accessOf(config: Config): Pick<OpenStoreOptions, 'credentials' | 'tls'> {
  return {
    credentials: createCredentials({
      user: config.metricsUser,
      password: config.metricsPassword,
      passwordFile: config.metricsPasswordFile,
      token: config.metricsToken,
      tokenFile: config.metricsTokenFile,
      tenant: config.metricsTenant,
      headers: config.metricsHeader,
      auth: config.metricsAuth,
    }),
    tls: readTls({
      caFile: config.metricsCaFile,
      certFile: config.metricsCertFile,
      keyFile: config.metricsKeyFile,
    }),
  };
}

/** Buckets are read by the identity that bills are read by. */
function openConfiguredBlocks(config: Config, url: string, place: BlocksPlace): BlocksStore {
  if (place.kind === 'folder') requireFolder(place.path);
  const { nowMs: _nowMs, ...cloud } = cloudOptions(config);
  const { headerBytes, aheadBytes, youngBytes } = blocksMemory(config.memoryLimitBytes);
  const { metricsTenant: tenant, metricsReplicaLabels: replicaLabels } = config;
  return openBlocks({
    url,
    place,
    tenant: tenant === undefined ? '' : `${tenant}/`,
    replicaLabels,
    cloud,
    headerBytes,
    aheadBytes,
    youngBytes,
    totalTimeoutMs: config.readTimeoutMs,
  });
}

/** One without blocks is accepted: they are written hours after the first samples. */
function requireFolder(path: string): void {
  const parameter = '--metrics-url';
  const hint = 'name the folder that blocks are in, such as file:///var/lib/prometheus/data';
  try {
    if (statSync(path).isDirectory()) return;
  } catch (cause) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '')) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Fault(`--metrics-url: cannot read ${path}: ${reason}`, { parameter, hint, cause });
    }
  }
  throw new Fault(`--metrics-url: there is no folder ${path}`, { parameter, hint });
}
