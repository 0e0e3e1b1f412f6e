/** Bills that the server fetches by itself, as the configuration describes them. */
import {
  createFolderFeed,
  createUrlFeed,
  readPurpose,
  runFeeds,
  type BillFeed,
  type Bills,
  type FeedOptions,
} from '../billing/deliveries/index.ts';
import { openBuckets } from '../buckets/index.ts';
import { cloudOptions } from '../settings/cloud-options.ts';
import type { Config } from '../settings/config.ts';
import type { RecordedChanges } from './recorded-changes.ts';
import type { Logger } from '../terminal/log.ts';

/** Files that did not change for so long are complete. */
const SETTLE_MS = 5000;

/** Bills that cannot be kept, until another version of them can: for `/readyz?verbose`. */
export class FailingBills {
  readonly #why: Map<string, string> = new Map();

  /** @param label of the bill, with its version after a blank @param why undefined: it is kept */
  set(label: string, why: string | undefined): void {
    const place = label.replace(/ \w+$/, '');
    if (why === undefined) this.#why.delete(place);
    else this.#why.set(place, why);
  }

  state(): object {
    if (this.#why.size === 0) return {};
    return { bills: { failing: Array.from(this.#why, ([bill, why]) => `${bill}: ${why}`) } };
  }
}

/** @returns what goes on until its signal is aborted; undefined where no bills are fetched */
export function openBillFeeds(
  config: Config,
  bills: Bills,
  { changes, failing }: { readonly changes: RecordedChanges; readonly failing: FailingBills },
  log: Logger,
): ((signal: AbortSignal) => Promise<void>) | undefined {
  const feeds = [...folderFeeds(config, log), ...urlFeeds(config).map(({ feed }) => feed)];
  if (feeds.length === 0) return undefined;
  const options: FeedOptions = {
    bills: recordedBills(bills, changes),
    feeds,
    currencyOf: ({ as, source }) => config.billCurrencies?.get(`${as}/${source}`) ?? 'USD',
    everyMs: config.billRefreshMs,
    onStored: ({ label }, { rows, replacedRows, warnings }) => {
      const noted = warnings.length === 0 ? {} : { warnings };
      failing.set(label, undefined);
      log.info({ bill: label, rows, replacedRows, ...noted }, 'kept a bill');
    },
    onFailed: (what, error) => {
      const message = error instanceof Error ? error.message : String(error);
      failing.set(what, message);
      log.error({ bill: what, error: message }, 'cannot keep a bill');
    },
  };
  return (signal) => runFeeds(options, signal);
}

/** Deliveries that are recorded before they are stored. */
export function recordedBills(
  bills: Bills,
  changes: RecordedChanges,
): Pick<Bills, 'sources' | 'deliver'> {
  return {
    sources: () => bills.sources(),
    deliver(arriving, signal) {
      const { as, source, label, files } = arriving;
      const known = bills.sources().find((one) => one.as === as && one.source === source);
      const before = known === undefined ? null : { periods: known.periods };
      const after = {
        label: label ?? files.map(({ name }) => name).join(', '),
        files: files.length,
      };
      const what = { of: `${as}/${source}`, before, after };
      return changes.own('bill.import', what, () => bills.deliver(arriving, signal));
    },
  };
}

function folderFeeds({ billFolder }: Config, log: Logger): BillFeed[] {
  if (billFolder === undefined) return [];
  const logged = new Set<string>();
  const onUnmatched = (sentence: string): void => {
    if (!logged.has(sentence)) log.error({ bill: sentence }, 'cannot keep a bill');
    logged.add(sentence);
  };
  const options = { folder: billFolder, nowMs: Date.now, settleMs: SETTLE_MS, onUnmatched };
  return [createFolderFeed(options)];
}

/** A feed of each source that is at URLs. */
export function urlFeeds(config: Config): { readonly place: string; readonly feed: BillFeed }[] {
  const openBucket = openBuckets(cloudOptions(config));
  return Array.from(config.billUrls ?? [], ([place, urls]) => {
    const [as, source = ''] = place.split('/');
    const feed = createUrlFeed({
      as: readPurpose(as, '--bill-url'),
      source,
      urls,
      openBucket,
      redirectHosts: config.billRedirectHosts,
    });
    return { place, feed };
  });
}
