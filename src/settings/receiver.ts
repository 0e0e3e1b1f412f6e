/** Settings of the receiver, a store of samples that others send by remote write. */
import { DAY_MS, HOUR_MS, MINUTE_MS, readBoolean, readDuration } from '../query/index.ts';
import { SERIES_MIN } from './memory-budget.ts';
import type { Rows } from './settings.ts';

export interface ReceiverSettings {
  /** Whether samples are received, in place of a metrics store that is read. */
  readonly isReceiving: boolean;
  /** How much older than now a sample may be that is out of order. */
  readonly outOfOrderMs: number;
  /** How long received samples stay, whatever becomes of the days that are built of them. */
  readonly rawRetentionMs: number;
  /** Series that are written to at once; 0: as many as a part of the memory limit holds. */
  readonly receiveSeries: number;
  /** Samples a second in the long run; 0: any. */
  readonly receiveRate: number;
  /** The token that opens writing, and nothing else; absent: there is none. */
  readonly receiveToken: string | undefined;
  readonly receiveTokenFile: string | undefined;
}

const SERIES_MAX = 100_000_000;
const RATE_MAX = 100_000_000;

export const RECEIVER_SETTINGS: Rows<ReceiverSettings> = {
  isReceiving: {
    key: 'receive',
    env: 'RECEIVE',
    help: 'whether samples are received by remote write and stored below --data-dir',
    accepted: 'a boolean: true, t, 1, false, f or 0',
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  outOfOrderMs: {
    key: 'outOfOrder',
    env: 'OUT_OF_ORDER',
    help: 'how old a sample may be that is not the newest of its series; back-fills need more',
    accepted: 'a duration of 1m to 365d, or 0',
    example: '7d',
    otherwise: '2h',
    fallback: () => 2 * HOUR_MS,
    read: (text) => (text === '0' ? 0 : durationWithin(text, MINUTE_MS, 365 * DAY_MS)),
  },
  rawRetentionMs: {
    key: 'rawRetention',
    env: 'RAW_RETENTION',
    help: 'how long received samples stay; days that were built of them stay longer',
    accepted: 'a duration of 1d to 36500d',
    example: '30d',
    otherwise: '15d',
    fallback: () => 15 * DAY_MS,
    read: (text) => durationWithin(text, DAY_MS, 36_500 * DAY_MS),
  },
  receiveSeries: {
    key: 'receiveSeries',
    env: 'RECEIVE_SERIES',
    help: 'series that are received at once, 3 KiB of memory each; new ones beyond get 429',
    accepted: `a whole number in ${SERIES_MIN} to ${SERIES_MAX}`,
    example: '500000',
    otherwise: 'as many as fit 30 % of the memory limit',
    fallback: () => 0,
    read: (text) => {
      const series = wholeNumber(text);
      return series >= SERIES_MIN && series <= SERIES_MAX ? series : undefined;
    },
  },
  receiveRate: {
    key: 'receiveRate',
    env: 'RECEIVE_RATE',
    help: 'samples a second that are received in the long run; more gets 429; 0: any',
    accepted: `a whole number in 0 to ${RATE_MAX}`,
    example: '50000',
    fallback: () => 300_000,
    read: (text) => {
      const rate = wholeNumber(text);
      return rate <= RATE_MAX ? rate : undefined;
    },
  },
  receiveToken: {
    key: 'receiveToken',
    env: 'RECEIVE_TOKEN',
    help: 'bearer token by which samples may be sent, and nothing else done',
    accepted: 'at least 16 visible ASCII characters without blanks',
    example: '…',
    otherwise:
      'none; the role editor may send where callers sign in, and everybody where they do not',
    // Never on a command line, which all processes can read.
    isSecret: true,
    fallback: () => undefined,
    read: (text) => (/^[\x21-\x7e]{16,4096}$/.test(text) ? text : undefined),
  },
  receiveTokenFile: {
    key: 'receiveTokenFile',
    env: 'RECEIVE_TOKEN_FILE',
    help: 'a file with that token; read again for each request',
    accepted: 'a path',
    example: '/etc/prorata/receive-token',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
};

function durationWithin(text: string, leastMs: number, mostMs: number): number | undefined {
  const ms = readDuration(text);
  return ms !== undefined && ms >= leastMs && ms <= mostMs ? ms : undefined;
}

/** NaN for what is none. */
function wholeNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : NaN;
}
