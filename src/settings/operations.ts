/** Settings of running the server: how it ends, and what it tells of what it does. */
import { MINUTE_MS, readBoolean, readDuration, SECOND_MS } from '../query/index.ts';
import type { Rows } from './settings.ts';

export interface OperationsSettings {
  /** After SIGTERM readiness fails for so long before the listener closes. */
  readonly drainDelayMs: number;
  /** Then answers under way may take so long to end. */
  readonly drainTimeoutMs: number;
  /** Whether each request is logged. */
  readonly isAccessLogged: boolean;
}

const DELAY_MS_MAX = 10 * MINUTE_MS;

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
};

function readDelay(text: string): number | undefined {
  if (text === '0') return 0;
  const delayMs = readDuration(text);
  return delayMs !== undefined && delayMs <= DELAY_MS_MAX ? delayMs : undefined;
}
