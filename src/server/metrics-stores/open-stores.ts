/** Several metrics stores, as the configuration describes them. */
import { readFileSync } from 'node:fs';
import {
  createCredentials,
  openStore,
  readTls,
  StorePace,
  type OpenStoreOptions,
} from '../../metrics/index.ts';
import { Fault } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import { readMetricsUrls } from '../../settings/metrics-urls.ts';
import { openManyStores, type ManyStores, type StoreEntry } from '../../stores/index.ts';
import { readStores, type StoreSettings } from './store-file.ts';

/** Reads at once of a store that says nothing else. */
const CONCURRENCY = 8;

type Limits = Pick<OpenStoreOptions, 'idleTimeoutMs' | 'onRetry'>;

/** @throws {Fault} for settings that contradict one another, and files that cannot be read */
export function openConfiguredStores(
  config: Config,
  clusterLabels: readonly string[],
  limits: Limits,
): ManyStores {
  const { metricsStores, metricsUrl = '' } = config;
  const settings =
    metricsStores === undefined
      ? ofUrls(metricsUrl)
      : readStores(textOf(metricsStores), metricsStores);
  const entries = settings.map((store) =>
    entryOf(config, store, limits, metricsStores === undefined),
  );
  const timeouts = settings.map(({ timeoutMs }) => timeoutMs ?? config.readTimeoutMs);
  return openManyStores(entries, { clusterLabels, readTimeoutMs: Math.min(...timeouts) });
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `--metrics-stores: cannot read ${path}: ${reason}`;
    throw new Fault(message, { parameter: '--metrics-stores', cause });
  }
}

/** Stores by the names of their clusters, else of their hosts; a second one of a name is `name-2`. */
function ofUrls(text: string): StoreSettings[] {
  const taken = new Map<string, number>();
  return (readMetricsUrls(text) ?? []).map(({ cluster, urls }) => {
    const base = (cluster ?? new URL(urls[0] ?? '').host).replaceAll(/[^\w.-]/g, '_');
    const count = (taken.get(base) ?? 0) + 1;
    taken.set(base, count);
    const name = count === 1 ? base : `${base}-${count}`;
    return { ...OF_ALL, name, cluster, urls, place: `--metrics-url: store '${name}'` };
  });
}

/** A store of `--metrics-url`: what is said of the metrics store is said of each. */
const OF_ALL = {
  reader: undefined,
  user: undefined,
  passwordFile: undefined,
  tokenFile: undefined,
  tenant: undefined,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  timeoutMs: undefined,
  concurrency: undefined,
  matchers: [],
};

/** @param takesAll whether credentials of the settings are sent to it: a file names each store's own */
function entryOf(
  config: Config,
  store: StoreSettings,
  limits: Limits,
  takesAll: boolean,
): StoreEntry {
  const { name, cluster, urls, place } = store;
  try {
    const credentials = createCredentials(takesAll ? ofSettings(config) : ofStore(store));
    const tls = readTls(
      takesAll
        ? {
            caFile: config.metricsCaFile,
            certFile: config.metricsCertFile,
            keyFile: config.metricsKeyFile,
          }
        : { caFile: store.caFile, certFile: store.certFile, keyFile: store.keyFile },
    );
    const replicas = urls.map((url) => {
      const most = store.concurrency ?? CONCURRENCY;
      const pace = new StorePace({ most });
      const source = openStore({
        url,
        ...limits,
        reader: store.reader ?? config.metricsReader,
        totalTimeoutMs: store.timeoutMs ?? config.readTimeoutMs,
        ...(config.isMemoryChecked ? { isMemoryChecked: true } : {}),
        concurrentReads: most,
        matchers: store.matchers,
        pace,
        credentials,
        tls,
      });
      return { source, pace };
    });
    return { name, cluster, replicas };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { message, hint, parameter } = error;
    throw new Fault(`${place}: ${message}`, {
      cause: error,
      ...(hint === undefined ? {} : { hint }),
      ...(parameter === undefined ? {} : { parameter }),
    });
  }
}

function ofSettings(config: Config): Parameters<typeof createCredentials>[0] {
  return {
    user: config.metricsUser,
    password: config.metricsPassword,
    passwordFile: config.metricsPasswordFile,
    token: config.metricsToken,
    tokenFile: config.metricsTokenFile,
    tenant: config.metricsTenant,
    headers: config.metricsHeader,
  };
}

function ofStore(store: StoreSettings): Parameters<typeof createCredentials>[0] {
  const { name, user, passwordFile, tokenFile, tenant } = store;
  return {
    user,
    passwordFile,
    tokenFile,
    tenant,
    named: { name: `the store ${name}`, settings: name },
  };
}
