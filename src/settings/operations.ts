/** Settings of running the server: how it ends, and what it tells of what it does. */
import { MINUTE_MS, readBoolean, readBytes, readDuration, SECOND_MS } from '../query/index.ts';
import { DIALECT_RULES, type DialectRule } from '../http/index.ts';
import type { Rows } from './settings.ts';

export interface OperationsSettings {
  /** After SIGTERM readiness fails for so long before the listener closes. */
  readonly drainDelayMs: number;
  /** Then answers under way may take so long to end. */
  readonly drainTimeoutMs: number;
  /** Whether each request is logged. */
  readonly isAccessLogged: boolean;
  readonly logLevel: LogLevel;
  /** A file of who changed what; absent: in the data folder, if there is one. */
  readonly auditLog: string | undefined;
  /** A file that has as many bytes gets a number. */
  readonly auditLogBytes: number;
  readonly auditLogFiles: number;
  /** Requests a second that one client may ask; 0: any number. */
  readonly requestsPerSecond: number;
  /** Which paths speak Kubecost's dialect, and which OpenCost's. */
  readonly apiDialect: DialectRule;
  /** Whether `3d` is three whole days; else all days that the last 72 hours overlap. */
  readonly isExactDays: boolean;
  /** Origins whose pages may ask anything, as browsers write them, and whether those of others may read. */
  readonly corsOrigins: { readonly listed: readonly string[]; readonly isReadByOthers: boolean };
  /** How old the costs of `/metrics` may be; 0: there are none. */
  readonly costMetricsMs: number;
  /** How many containers it tells of, and volumes, claims, nodes and load balancers each. */
  readonly costMetricsRows: number;
}

const MIB = 2 ** 20;
const DELAY_MS_MAX = 10 * MINUTE_MS;
const RATE_MAX = 1_000_000;

/** From the most to the least lines; silent is for tests alone. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

export const OPERATIONS_SETTINGS: Rows<OperationsSettings> = {
  drainDelayMs: {
    key: 'drainDelay',
    env: 'DRAIN_DELAY',
    help: 'how long after SIGTERM new requests are still served, while /readyz answers 503',
    accepted: 'a duration of at most 10m, or 0',
    example: '5s',
    otherwise: '1s',
    fallback: () => SECOND_MS,
    read: readDelay,
  },
  drainTimeoutMs: {
    key: 'drainTimeout',
    env: 'DRAIN_TIMEOUT',
    help: 'how long after that answers under way may take to end, before they are cut off',
    accepted: 'a duration of at most 10m, or 0',
    example: '25s',
    otherwise: '25s',
    fallback: () => 25 * SECOND_MS,
    read: readDelay,
  },
  isAccessLogged: {
    key: 'accessLog',
    env: 'ACCESS_LOG',
    help: 'whether a line is logged for each request',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  logLevel: {
    key: 'logLevel',
    env: 'LOG_LEVEL',
    help: 'the least level of lines that are logged; debug logs each request too',
    accepted: LOG_LEVELS.join(', '),
    example: 'debug',
    fallback: () => 'info',
    read: (text) => LOG_LEVELS.find((level) => level === text),
  },
  auditLog: {
    key: 'auditLog',
    env: 'AUDIT_LOG',
    help: 'a file of who changed what, from where, before and after: JSON lines',
    accepted: 'a path',
    example: '/var/log/prorata/audit.ndjson',
    otherwise: 'audit.ndjson in the data folder, none without one',
    fallback: () => undefined,
    read: (text) => (/^\P{Cc}{1,4096}$/u.test(text) ? text : undefined),
  },
  auditLogBytes: {
    key: 'auditLogSize',
    env: 'AUDIT_LOG_SIZE',
    help: 'a file of these that has as many bytes gets a number, and another begins',
    accepted: 'an amount of memory of 1Ki to 1Gi',
    example: '16Mi',
    otherwise: '16Mi',
    fallback: () => 16 * MIB,
    read: (text) => {
      const bytes = readBytes(text);
      return bytes !== undefined && bytes >= 1024 && bytes <= 1024 * MIB ? bytes : undefined;
    },
  },
  auditLogFiles: {
    key: 'auditLogFiles',
    env: 'AUDIT_LOG_FILES',
    help: 'how many of these files stay, the one that is written included',
    accepted: 'a whole number in 1 to 1000',
    example: '20',
    fallback: () => 20,
    read: (text) => (/^[1-9]\d{0,2}$|^1000$/.test(text) ? Number(text) : undefined),
  },
  requestsPerSecond: {
    key: 'rateLimit',
    env: 'RATE_LIMIT',
    help: 'requests a second of one client, by its token, else its address; 0: any',
    accepted: 'a number from 0 to 1000000',
    example: '50',
    fallback: () => 0,
    read: (text) => {
      const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
      return rate <= RATE_MAX ? rate : undefined;
    },
  },
  apiDialect: {
    key: 'apiDialect',
    env: 'API_DIALECT',
    help: "whose API a path speaks; prefix: Kubecost's below /model, OpenCost's without it",
    accepted: DIALECT_RULES.join(', '),
    example: 'kubecost',
    fallback: () => 'prefix',
    read: (text) => DIALECT_RULES.find((rule) => rule === text),
  },
  isExactDays: {
    key: 'windowDays',
    env: 'WINDOW_DAYS',
    help: 'what 3d is of stored days: whole: all that 72 hours overlap; exact: three, today the last',
    accepted: 'whole or exact',
    example: 'exact',
    otherwise: 'whole',
    fallback: () => false,
    read: (text) => (text === 'exact' ? true : text === 'whole' ? false : undefined),
  },
  corsOrigins: {
    key: 'corsOrigins',
    env: 'CORS_ORIGINS',
    help: 'origins whose pages may ask anything, signed in too; pages of others only read without',
    accepted:
      'a list of origins with scheme and, unless usual, port; comma-separated; none: pages of others do not read either',
    example: 'https://grafana.example.com,http://localhost:3000',
    otherwise: 'none listed, and those of others read',
    fallback: () => ({ listed: [], isReadByOthers: true }),
    read: readOrigins,
  },
  costMetricsMs: {
    key: 'costMetricsInterval',
    env: 'COST_METRICS_INTERVAL',
    help: "how old costs in /metrics may be, which has them under OpenCost's names; 0: none",
    accepted: 'a duration of 1s to 1h, or 0',
    example: '1m',
    otherwise: '1m',
    fallback: () => MINUTE_MS,
    read: (text) => {
      if (text === '0') return 0;
      const ms = readDuration(text);
      return ms !== undefined && ms >= SECOND_MS && ms <= 60 * MINUTE_MS ? ms : undefined;
    },
  },
  costMetricsRows: {
    key: 'costMetricsRows',
    env: 'COST_METRICS_ROWS',
    help: 'how many containers /metrics has costs of: the costliest; and volumes, claims, nodes',
    accepted: 'a whole number in 1 to 1000000',
    example: '20000',
    fallback: () => 20_000,
    read: (text) => (/^[1-9]\d{0,5}$|^1000000$/.test(text) ? Number(text) : undefined),
  },
};

/** As browsers write them: in lower case, without the usual port and without a slash; `none` shuts all others out. */
function readOrigins(text: string): OperationsSettings['corsOrigins'] | undefined {
  const items = text.split(',').map((one) => one.trim());
  const named = items.filter((one) => one !== 'none');
  const listed = named.map((one) => {
    const url = /^https?:\/\/[^/?#@\s*]+$/i.test(one) ? one : '';
    return URL.canParse(url) ? new URL(url).origin : '';
  });
  const isReadByOthers = named.length === items.length;
  return listed.includes('') ? undefined : { listed, isReadByOthers };
}

function readDelay(text: string): number | undefined {
  if (text === '0') return 0;
  const delayMs = readDuration(text);
  return delayMs !== undefined && delayMs <= DELAY_MS_MAX ? delayMs : undefined;
}
