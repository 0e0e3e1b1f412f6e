/**
 * The table of settings, each with its sources, what it accepts, its default and its help.
 *
 *   key clusterId  ->  --cluster-id, CLUSTER_ID, `clusterId:` in the file
 *   key prices.x   ->  in the file only, `x:` under `prices:`
 */
import { readBlocksUrl } from '../blocks/index.ts';
import { leastLimitBytes } from './memory-budget.ts';
import { readMetricsUrls } from './metrics-urls.ts';
import {
  isZone,
  LAST_INSTANT_MS,
  readBoolean,
  readBytes,
  readDuration,
  readTimestamp,
  readUnixSeconds,
} from '../query/index.ts';

export interface Settings {
  readonly host: string;
  /** Names that clients may ask for, besides addresses and local names. */
  readonly allowedHosts: readonly string[];
  /** Whether others than this machine may ask without signing in. */
  readonly isBindInsecure: boolean;
  /** In [0, 65535]; 0 takes any free port. */
  readonly port: number;
  /** Folder of stored sets; absent: they are in memory. */
  readonly dataDir: string | undefined;
  /** One address without a slash at its end, or several, see `readMetricsUrls`; absent: the demo fleet, or no metrics store. */
  readonly metricsUrl: string | undefined;
  /** Whether a simulated fleet is served; absent: where there is neither a metrics store nor a folder. */
  readonly demo: boolean | undefined;
  /** IANA zone; sets are aligned to its days. */
  readonly timezone: string;
  readonly clusterId: string;
  /** Metrics label that names the cluster; absent: `cluster_id`, then `cluster`. */
  readonly clusterLabel: string | undefined;
  /** Threads that compute. */
  readonly workers: number;
  /** The limit of the process's resident memory. */
  readonly memoryLimitBytes: number;
  /** A fixed clock; absent: the real one. */
  readonly nowMs: number | undefined;
  /** Absent: uws where this machine alone asks, else node, whose parser is strict. */
  readonly frontEnd: 'uws' | 'node' | undefined;
  /** Deadline of one read from the metrics store, from request to last byte. */
  readonly readTimeoutMs: number;
  /** A CSV file of node types and their prices. */
  readonly nodeTypes: string | undefined;
  readonly isListOn: boolean;
  /** Freed columns are overwritten, and canaries are put between columns. */
  readonly isMemoryChecked: boolean;
}

/** The machine, on which defaults depend. */
export interface Machine {
  readonly cores: number;
  /** The container's limit or the machine's memory, whichever is less. */
  readonly memoryBytes: number;
}

export interface Setting<T> {
  /** Path in the file; without a dot also the flag, in kebab case. */
  readonly key: string;
  /** The flag's name, if it is not the key. */
  readonly flag?: string;
  readonly env?: string;
  readonly help: string;
  readonly accepted: string;
  readonly example: string;
  /** The default in words, if there is none or it depends on the machine. */
  readonly otherwise?: string;
  /** Read from the environment only, and never shown. */
  readonly isSecret?: boolean;
  /** Lines of `name: value`, where values may be credentials. */
  readonly hasSecretValues?: boolean;
  /** The value is one or more URLs, which may contain secrets. */
  readonly isUrl?: boolean;
  fallback(machine: Machine): T;
  /** Undefined when the text is not accepted. */
  read(text: string): T | undefined;
}

export type Rows<Values> = { readonly [Name in keyof Values]: Setting<Values[Name]> };

const MIB = 2 ** 20;
/** The smallest default; a lower limit can be set. */
const DEFAULT_LIMIT_BYTES_MIN = 256 * MIB;
const LIMIT_BYTES_MIN = leastLimitBytes(1);
const HOST_NAME = /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i;
const READ_TIMEOUT_MS_MAX = 86_400_000;

export const SETTINGS: Rows<Settings> = {
  host: {
    key: 'host',
    env: 'HOST',
    help: 'address to listen on; 0.0.0.0 for every one',
    accepted: 'a host name or an address',
    example: '127.0.0.1',
    fallback: () => '127.0.0.1',
    read: (text) => matching(text, /^[\w.:%-]{1,255}$/),
  },
  port: {
    key: 'port',
    env: 'PORT',
    help: 'port to listen on; 0 takes a free one',
    accepted: 'a port in 0 to 65535',
    example: '9003',
    fallback: () => 9003,
    read: (text) => wholeWithin(text, 0, 65_535),
  },
  allowedHosts: {
    key: 'allowedHosts',
    env: 'ALLOWED_HOSTS',
    help: 'names that clients may ask for, comma-separated, besides addresses and local names',
    accepted: 'a list of host names; *. at the beginning stands for any name below',
    example: 'costs.example.com,*.internal.example.com',
    otherwise: 'none',
    fallback: () => [],
    read: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.every((name) => HOST_NAME.test(name)) ? names : undefined;
    },
  },
  isBindInsecure: {
    key: 'insecureBind',
    env: 'INSECURE_BIND',
    help: 'whether others than this machine may reach --host, though nobody has to sign in',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  dataDir: {
    key: 'dataDir',
    env: 'DATA_DIR',
    help: 'folder in which sets are stored, one Arrow file a day; for one process at a time',
    accepted: 'a path',
    example: '/var/lib/prorata',
    otherwise: 'none, sets are stored in memory',
    fallback: () => undefined,
    read: (text) => matching(text, /^\P{Cc}{1,4096}$/u),
  },
  metricsUrl: {
    key: 'metricsUrl',
    env: 'PROMETHEUS_SERVER_ENDPOINT',
    help: 'metrics store: Prometheus, VictoriaMetrics, Thanos, Mimir, or blocks; several as CLUSTER=URL',
    accepted:
      'an http, https, s3, gs, azblob or file URL; or CLUSTER=URL of several by http with blanks between, commas between replicas',
    example: 'http://prometheus:9090',
    otherwise: 'none, a demo fleet is served unless there is a data folder',
    isUrl: true,
    fallback: () => undefined,
    read: (text) =>
      (readBlocksUrl(text) ?? readMetricsUrls(text)) === undefined ? undefined : trimSlash(text),
  },
  demo: {
    key: 'demo',
    env: 'PRORATA_DEMO',
    help: 'whether a simulated fleet is served and its days are stored, also in a data folder',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    otherwise: 'true without a metrics store and a data folder',
    fallback: () => undefined,
    read: readBoolean,
  },
  timezone: {
    key: 'timezone',
    env: 'TIMEZONE',
    help: 'time zone of the days and weeks by which costs are stored',
    accepted: 'a zone of the IANA tz database',
    example: 'Europe/Berlin',
    fallback: () => 'UTC',
    read: (text) => (isZone(text) ? text : undefined),
  },
  clusterId: {
    key: 'clusterId',
    env: 'CLUSTER_ID',
    help: 'cluster of series that carry no cluster label',
    accepted: 'a name of at most 253 printable characters',
    example: 'default-cluster',
    fallback: () => 'default-cluster',
    read: (text) => matching(text, /^\P{Cc}{1,253}$/u),
  },
  clusterLabel: {
    key: 'clusterLabel',
    env: 'PROM_CLUSTER_ID_LABEL',
    help: 'metrics label that names the cluster',
    accepted: 'a label name',
    example: 'cluster_id',
    otherwise: 'cluster_id, then cluster',
    fallback: () => undefined,
    read: (text) => matching(text, /^[a-zA-Z_][a-zA-Z0-9_]*$/),
  },
  workers: {
    key: 'workers',
    env: 'WORKERS',
    help: 'threads that compute',
    accepted: 'a whole number in 1 to 1024',
    example: '4',
    otherwise: 'the cores there are, at least 2, as many as the memory limit holds',
    fallback: ({ cores }) => Math.max(2, cores),
    read: (text) => wholeWithin(text, 1, 1024),
  },
  memoryLimitBytes: {
    key: 'memoryLimit',
    env: 'MEMORY_LIMIT',
    help: 'memory the process may take: Ki Mi Gi are powers of 1024, as are k m g; K M G of 1000',
    accepted: `an amount of memory of at least ${LIMIT_BYTES_MIN / MIB}Mi, which one worker takes`,
    example: '2GiB',
    otherwise: '60 % of the memory there is, at least 256Mi',
    fallback: ({ memoryBytes }) => Math.max(DEFAULT_LIMIT_BYTES_MIN, Math.floor(memoryBytes * 0.6)),
    read: (text) => atLeast(readBytes(text), LIMIT_BYTES_MIN),
  },
  nowMs: {
    key: 'now',
    env: 'PRORATA_NOW',
    help: 'a clock that stands still, for tests and reproducible reports',
    accepted: 'an RFC 3339 timestamp or Unix seconds, within 1970 to 9999',
    example: '2024-05-03T08:00:00Z',
    otherwise: 'the real clock',
    fallback: () => undefined,
    read: readInstant,
  },
  frontEnd: {
    key: 'frontEnd',
    env: 'FRONT_END',
    help: 'HTTP server: uws is fast, node has the strict parser and runs everywhere',
    accepted: 'uws or node',
    example: 'node',
    otherwise: 'uws where --host is of this machine alone, else node',
    fallback: () => undefined,
    read: (text) => (text === 'uws' || text === 'node' ? text : undefined),
  },
  readTimeoutMs: {
    key: 'readTimeout',
    env: 'READ_TIMEOUT',
    help: 'deadline of one read from the metrics store, whole; Prometheus itself gives up at 2m',
    accepted: 'a duration of at most 1d',
    example: '90s',
    otherwise: '2m',
    fallback: () => 120_000,
    read: (text) => atMost(readDuration(text), READ_TIMEOUT_MS_MAX),
  },
  nodeTypes: {
    key: 'nodeTypes',
    env: 'NODE_TYPES',
    help: 'CSV of node types, which prices nodes that have no price series',
    accepted: 'a path',
    example: '/etc/prorata/node-types.csv',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  isListOn: {
    key: 'listPrices',
    env: 'LIST_PRICES',
    help: 'list prices of clouds for nodes without a price series and a type in --node-types',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'false',
    fallback: () => true,
    read: readBoolean,
  },
  isMemoryChecked: {
    key: 'checkMemory',
    env: 'CHECK_MEMORY',
    help: 'look for misuse of the memory of columns, with up to a third more CPU: to track down a fault',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
};

function matching(text: string, form: RegExp): string | undefined {
  return form.test(text) ? text : undefined;
}

function wholeWithin(text: string, least: number, most: number): number | undefined {
  return /^\d{1,9}$/.test(text) ? atLeast(atMost(Number(text), most), least) : undefined;
}

function atLeast(value: number | undefined, least: number): number | undefined {
  return value !== undefined && value >= least ? value : undefined;
}

function atMost(value: number | undefined, most: number): number | undefined {
  return value !== undefined && value <= most ? value : undefined;
}

function readInstant(text: string): number | undefined {
  return atLeast(atMost(readTimestamp(text) ?? readUnixSeconds(text), LAST_INSTANT_MS), 0);
}

function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
