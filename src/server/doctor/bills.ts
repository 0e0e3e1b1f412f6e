/** Bills at URLs and in buckets: whether each source can be listed, with the identity that it is read with. */
import { SECOND_MS, Unavailable } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import { urlFeeds } from '../open-bill-feeds.ts';
import { foundThat, type Found } from './findings.ts';

const WITHIN_MS = 20 * SECOND_MS;

/** @returns none where no source is at a URL */
export async function bills(config: Config): Promise<Found[]> {
  return await Promise.all(
    urlFeeds(config).map(async ({ place, feed }) => {
      try {
        const offers = await feed.offers(AbortSignal.timeout(WITHIN_MS));
        const value = offers.length === 1 ? '1 delivery' : `${offers.length} deliveries`;
        const hint = 'no file of a bill is there, or one changed within the last minute';
        return foundThat(place, value, offers.length > 0 ? 'ok' : 'warning', hint);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        const hint = error instanceof Unavailable ? error.hint : undefined;
        return foundThat(place, reason, 'bad', hint ?? 'see --bill-url');
      }
    }),
  );
}
