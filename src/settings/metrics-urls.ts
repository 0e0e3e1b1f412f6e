/** Addresses of metrics stores: one, or several of a cluster each. */

/** A store, of which the replicas scrape the same. */
export interface NamedUrls {
  /** The cluster of series that do not name theirs; undefined: `--cluster-id`. */
  readonly cluster: string | undefined;
  readonly urls: readonly string[];
}

const STORE = /^(?:([^\s=,/:"'\\]{1,120})=)?(https?:\/\/\S{1,4000})$/;

/**
 * `URL`, or with blanks between `CLUSTER=URL` or `URL` of several stores; commas stand between replicas of one.
 * @returns undefined for anything else
 */
export function readMetricsUrls(text: string): readonly NamedUrls[] | undefined {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const stores: NamedUrls[] = [];
  for (const part of parts) {
    const [, cluster, all = ''] = STORE.exec(part) ?? [];
    const urls = all.split(/,(?=https?:\/\/)/).map(trimSlash);
    if (!urls.every((url) => URL.canParse(url))) return undefined;
    stores.push({ cluster, urls });
  }
  const all = stores.flatMap(({ urls }) => urls);
  return all.length === 0 || new Set(all).size < all.length ? undefined : stores;
}

/** The only address, where there is one, of no cluster: most stores. */
export function onlyUrl(stores: readonly NamedUrls[]): string | undefined {
  const [first, second] = stores;
  const isOne = second === undefined && first?.cluster === undefined && first?.urls.length === 1;
  return isOne ? first.urls[0] : undefined;
}

function trimSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
