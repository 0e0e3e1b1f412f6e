/** Deliveries that arrive by themselves: feeds are polled for them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BillFile } from '../focus/index.ts';
import { Fault, Unavailable } from '../../query/index.ts';
import { isSameSource, type SourceId } from './bill-key.ts';
import type { Bills, Delivered } from './bills.ts';

/** A delivery that a feed has. */
export interface Offer extends SourceId {
  /** Its origin and version, which are stored with it. */
  readonly label: string;
  open(signal: AbortSignal): Promise<OpenOffer>;
}

export interface OpenOffer {
  readonly files: readonly BillFile[];
  close(): Promise<void>;
}

export interface BillFeed {
  /** All current deliveries, stored or not. @throws {Unavailable} */
  offers(signal: AbortSignal): Promise<readonly Offer[]>;
}

export interface FeedOptions {
  readonly bills: Pick<Bills, 'sources' | 'deliver'>;
  readonly feeds: readonly BillFeed[];
  /** The currency of all rows of a source. */
  readonly currencyOf: (source: SourceId) => string;
  readonly everyMs: number;
  readonly onStored: (offer: Offer, delivered: Delivered) => void;
  /** Called once for a wrong offer, and each time for a feed that cannot be reached. */
  readonly onFailed: (what: string, error: unknown) => void;
}

/** Runs until the signal is aborted. */
export async function runFeeds(options: FeedOptions, signal: AbortSignal): Promise<void> {
  /** Offers that were taken or refused: the same bytes would have the same result. */
  const seen = new Set<string>();
  while (!signal.aborted) {
    for (const feed of options.feeds) await takeOffers(options, feed, seen, signal);
    await sleep(options.everyMs, undefined, { signal }).catch(() => undefined);
  }
}

async function takeOffers(
  options: FeedOptions,
  feed: BillFeed,
  seen: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  const { bills, onFailed } = options;
  let what = 'bills';
  try {
    for (const offer of await feed.offers(signal)) {
      what = offer.label;
      if (seen.has(offer.label) || isStored(bills, offer)) continue;
      seen.add(offer.label);
      await takeOffer(options, offer, signal).catch((error: unknown) => {
        if (!(error instanceof Fault)) seen.delete(offer.label);
        if (!signal.aborted) onFailed(offer.label, error);
      });
    }
  } catch (error) {
    if (!signal.aborted) onFailed(what, error);
  }
}

async function takeOffer(
  { bills, currencyOf, onStored }: FeedOptions,
  offer: Offer,
  signal: AbortSignal,
): Promise<void> {
  const opened = await offer.open(signal);
  try {
    const { as, source, label } = offer;
    const unheard = { onBad: () => undefined, onRows: () => undefined };
    const { files } = opened;
    const currency = currencyOf(offer);
    const arriving = { as, source, label, files, currency, isSkipping: false, ...unheard };
    onStored(offer, await bills.deliver(arriving, signal));
  } finally {
    await opened.close();
  }
}

function isStored(bills: FeedOptions['bills'], offer: Offer): boolean {
  const known = bills.sources().find((each) => isSameSource(each, offer));
  return known?.periods.some(({ from }) => from === offer.label) ?? false;
}

/** Opens the files of an offer; all are closed when one fails. @param remove called after closing */
export async function openFiles<Source>(
  sources: readonly Source[],
  open: (source: Source, index: number) => Promise<BillFile>,
  remove: () => Promise<void> = () => Promise.resolve(),
): Promise<OpenOffer> {
  const files: BillFile[] = [];
  const close = async (): Promise<void> => {
    for (const file of files) await file.close();
    await remove();
  };
  try {
    for (const [i, source] of sources.entries()) files.push(await open(source, i));
  } catch (error) {
    await close();
    throw error;
  }
  return { files, close };
}

/** An error of the outside world, in its own words. */
export function unreachable(what: string, cause: unknown): Unavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Unavailable(`cannot read ${what}: ${reason}`, { cause });
}
