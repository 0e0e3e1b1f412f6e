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
import { accessOf } from '../configured-store.ts';
import { storeSigners } from './store-signers.ts';
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
  const signers = storeSigners(config);
  const entries = settings.map((store) => {
    const isOfAll = metricsStores === undefined;
    const auth = isOfAll ? config.metricsAuth : store.auth;
    return entryOf(config, store, { ...limits, signerOf: (url) => signers(auth, url) }, isOfAll);
  });
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

/** Stores by the names of their clusters, else of their hosts; a second one of a name is `name-2`, or the next that is free. */
function ofUrls(text: string): StoreSettings[] {
  const stores = (readMetricsUrls(text) ?? []).map(({ cluster, urls }) => {
    const base = (cluster ?? new URL(urls[0] ?? '').host).replaceAll(/[^\w.-]/g, '_');
    return { cluster, urls, base };
  });
  const taken = new Set(stores.map(({ base }) => base));
  return stores.map(({ cluster, urls, base }, i) => {
    let name = base;
    const isFirst = stores.findIndex((other) => other.base === base) === i;
    for (let count = 2; !isFirst && taken.has(name); count++) name = `${base}-${count}`;
    taken.add(name);
    return { ...OF_ALL, name, cluster, urls, place: `--metrics-url: store '${name}'` };
  });
}

/** A store of `--metrics-url`: what is said of the metrics store is said of each. */
const OF_ALL = {
  reader: undefined,
  user: undefined,
  passwordFile: undefined,
  tokenFile: undefined,
  auth: undefined,
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
  {
    signerOf,
    ...limits
  }: Limits & {
    readonly signerOf: (url: string) => Pick<OpenStoreOptions, 'signer'>;
  },
  takesAll: boolean,
): StoreEntry {
  const { name, cluster, urls, place } = store;
  try {
    const access = takesAll ? accessOf(config) : ownAccessOf(store);
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
        ...access,
        ...signerOf(url),
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

function ownAccessOf(store: StoreSettings): ReturnType<typeof accessOf> {
  const { name, user, passwordFile, tokenFile, auth, tenant } = store;
  const { caFile, certFile, keyFile } = store;
  return {
    credentials: createCredentials({
      user,
      passwordFile,
      tokenFile,
      auth,
      tenant,
      named: { name: `the store ${name}`, settings: name },
    }),
    tls: readTls({ caFile, certFile, keyFile }),
  };
}
