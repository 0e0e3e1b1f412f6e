/** Settings of bills that the server fetches itself: from a folder, and from URLs. */
import { readDuration } from '../query/index.ts';
import { readBucketUrl } from '../buckets/index.ts';
import type { Rows } from './settings.ts';

export interface BillSettings {
  /** Deliveries by purpose and source: cloud/aws-main/2024-09/part-1.csv.gz. */
  readonly billFolder: string | undefined;
  /** The URLs of one delivery each, by `purpose/source`. */
  readonly billUrls: ReadonlyMap<string, readonly string[]> | undefined;
  /** Hosts that URLs of bills may redirect to, besides their own. */
  readonly billRedirectHosts: readonly string[];
  /** The currency of all rows, by `purpose/source`; others are in USD. Nothing is converted. */
  readonly billCurrencies: ReadonlyMap<string, string> | undefined;
  /** The interval at which both are checked. */
  readonly billRefreshMs: number;
}

const BILL_URL =
  /^((?:cloud|external)\/[a-z0-9][a-z0-9-]{0,19})=((?:https?|s3|gs|azblob):\/\/\S{1,8000})$/;
const CURRENCY = /^((?:cloud|external)\/[a-z0-9][a-z0-9-]{0,19})=([A-Za-z]{3})$/;
const HOST = /^[a-z0-9_.:[\]-]{1,255}$/;
const REFRESH_MS_MAX = 7 * 86_400_000;

export const BILL_SETTINGS: Rows<BillSettings> = {
  billFolder: {
    key: 'billFolder',
    env: 'BILL_FOLDER',
    help: 'folder of FOCUS files, PURPOSE/SOURCE/…: all files of one folder are a delivery',
    accepted: 'a path',
    example: '/var/lib/bills',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  billUrls: {
    key: 'billUrl',
    env: 'BILL_URL',
    help: 'FOCUS files, PURPOSE/SOURCE=URL with blanks between; a bucket and prefix is all below it',
    accepted: `cloud/SOURCE=URL or external/SOURCE=URL with blanks between: http, https, s3://BUCKET/PREFIX/, gs://BUCKET/PREFIX/ or azblob://ACCOUNT/CONTAINER/PREFIX/`,
    example: 'cloud/aws-main=s3://exports/focus/2024-09/',
    otherwise: 'none',
    isUrl: true,
    fallback: () => undefined,
    read: readBillUrls,
  },
  billRedirectHosts: {
    key: 'billRedirectHosts',
    env: 'BILL_REDIRECT_HOSTS',
    help: 'hosts that URLs of bills may redirect to besides their own, comma-separated',
    accepted: 'a list of host names and addresses',
    example: 'objects.example.com',
    otherwise: 'none',
    fallback: () => [],
    read: (text) => {
      const names = text.split(',').map((name) => name.trim().toLowerCase());
      return names.every((name) => HOST.test(name)) ? names : undefined;
    },
  },
  billCurrencies: {
    key: 'billCurrency',
    env: 'BILL_CURRENCY',
    help: 'BillingCurrency of bills from the folder and URLs, PURPOSE/SOURCE=CODE with blanks between',
    accepted:
      'cloud/SOURCE=CODE or external/SOURCE=CODE, codes of three letters, with blanks between',
    example: 'cloud/aws-main=EUR',
    otherwise: 'USD; nothing is converted',
    fallback: () => undefined,
    read: readBillCurrencies,
  },
  billRefreshMs: {
    key: 'billRefresh',
    env: 'BILL_REFRESH',
    help: 'how often the folder and the URLs of bills are checked',
    accepted: 'a duration of 1s to 7d',
    example: '10m',
    otherwise: '10m',
    fallback: () => 600_000,
    read(text) {
      const ms = readDuration(text);
      return ms !== undefined && ms >= 1000 && ms <= REFRESH_MS_MAX ? ms : undefined;
    },
  },
};

function readBillUrls(text: string): ReadonlyMap<string, readonly string[]> | undefined {
  const urls = new Map<string, string[]>();
  for (const each of text.split(/\s+/).filter((part) => part !== '')) {
    const [, source = '', url = ''] = BILL_URL.exec(each) ?? [];
    const isWeb = /^https?:/.test(url) && URL.canParse(url);
    if (!isWeb && readBucketUrl(url) === undefined) return undefined;
    urls.set(source, [...(urls.get(source) ?? []), url]);
  }
  return urls;
}

function readBillCurrencies(text: string): ReadonlyMap<string, string> | undefined {
  const currencies = new Map<string, string>();
  for (const each of text.split(/\s+/).filter((part) => part !== '')) {
    const [, source = '', code] = CURRENCY.exec(each) ?? [];
    if (code === undefined || currencies.has(source)) return undefined;
    currencies.set(source, code.toUpperCase());
  }
  return currencies;
}
