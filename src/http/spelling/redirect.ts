/** Paths with a slash too many, or in another case, lead to the route that is meant, as those of OpenCost do. */
import { withoutPrefix } from './dialect.ts';
import type { HttpReply, HttpRequest } from '../server.ts';

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Finds the path of a route by what a client may have meant by it. */
export class MeantPaths {
  readonly #paths: ReadonlyMap<string, string>;

  /** @param paths of routes, without the prefix */
  constructor(paths: Iterable<string>) {
    this.#paths = new Map([...paths].map((path) => [path.toLowerCase(), path]));
  }

  /**
   * A path of this server that has a route, or undefined. It is put together of our own texts alone: nothing that a
   * client sends can name another host.
   */
  find(path: string): string | undefined {
    const clean = path
      .replace(/\/{2,}/g, '/')
      .replace(/(.)\/$/, '$1')
      .toLowerCase();
    const bare = withoutPrefix(clean);
    const known = this.#paths.get(bare);
    if (known === undefined) return undefined;
    const meant = bare === clean ? known : `/model${known}`;
    return meant === path ? undefined : meant;
  }
}

/** What reads may be kept for good; all else keeps its method and body. */
export function redirected({ method, query }: HttpRequest, path: string): HttpReply {
  const location = query === '' ? path : `${path}?${visible(query)}`;
  return { status: READING.has(method) ? 301 : 308, headers: { location }, body: '' };
}

/** The query with all but visible ASCII percent-encoded, as headers have to be. */
function visible(query: string): string {
  return query.replace(/[^\x21-\x7e]+/g, (run) =>
    [...Buffer.from(run)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
      .join(''),
  );
}
