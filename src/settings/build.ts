/** Settings of stored sets: how long they stay, and how fresh they are. */
import { DAY_MS, HOUR_MS, MINUTE_MS, readDuration } from '../query/index.ts';
import type { Rows } from './settings.ts';

export interface BuildSettings {
  /** How long days are stored. */
  readonly retentionMs: number;
  /** The maximum age of today's set; 0: the server builds no sets. */
  readonly refreshMs: number;
  /** How long after a day's end its samples may still come. */
  readonly sealAfterMs: number;
}

export const BUILD_SETTINGS: Rows<BuildSettings> = {
  retentionMs: {
    key: 'retention',
    env: 'RETENTION',
    help: 'how long days are stored; the metrics store is read back that far',
    accepted: 'a duration of 1d to 36500d',
    example: '400d',
    otherwise: '400d',
    fallback: () => 400 * DAY_MS,
    read: (text) => durationWithin(text, DAY_MS, 36_500 * DAY_MS),
  },
  refreshMs: {
    key: 'refresh',
    env: 'REFRESH',
    help: "how old today's stored costs may be; 0: the server builds no days by itself",
    accepted: 'a duration of 1s to 1d, or 0',
    example: '5m',
    otherwise: '5m',
    fallback: () => 5 * MINUTE_MS,
    read: (text) => (text === '0' ? 0 : durationWithin(text, 1000, DAY_MS)),
  },
  sealAfterMs: {
    key: 'sealAfter',
    env: 'SEAL_AFTER',
    help: 'how long after its end a day waits for late samples, before it is built for good',
    accepted: 'a duration of 15m to 7d',
    example: '1h',
    otherwise: '1h',
    fallback: () => HOUR_MS,
    read: (text) => durationWithin(text, 15 * MINUTE_MS, 7 * DAY_MS),
  },
};

function durationWithin(text: string, least: number, most: number): number | undefined {
  const durationMs = readDuration(text);
  return durationMs !== undefined && durationMs >= least && durationMs <= most
    ? durationMs
    : undefined;
}
