/** What a server tells of itself: counts that its parts add to, and `GET /metrics`, which reads them. */
import type { CacheState } from '../../cache/index.ts';
import { bytes, type Route } from '../../http/index.ts';
import { noReads, type ReadCounts } from '../../metrics/index.ts';
import { CONTENT_TYPE, exposition, type Family } from '../../export/index.ts';
import { cacheFamilies, readFamilies } from './part-families.ts';
import { watchProcess, type ProcessState } from './process-state.ts';
import { RequestCounts } from './request-counts.ts';

/** Families of a part, as it is now. */
type Source = () => readonly Family[] | Promise<readonly Family[]>;

/** Caches by name. */
export type CacheStates = Map<string, () => CacheState>;

export class Health {
  readonly requests: RequestCounts = new RequestCounts();
  readonly reads: ReadCounts = noReads();
  readonly caches: CacheStates = new Map();
  readonly #process: ProcessState = watchProcess();
  readonly #sources: Source[];
  readonly #texts: (() => Uint8Array)[] = [];

  constructor(version: string) {
    const info = { labels: { version, node: process.versions.node }, value: 1 };
    this.#sources = [
      () => [{ name: 'prorata_build_info', help: 'Versions.', type: 'gauge', samples: [info] }],
      () => this.requests.families(),
      () => readFamilies(this.reads),
      () => cacheFamilies([...this.caches].map(([name, state]) => [name, state()])),
      () => this.#process.families(),
    ];
  }

  /** A part tells its state from now on. */
  add(source: Source): void {
    this.#sources.push(source);
  }

  /** Families that are written already. */
  addText(text: () => Uint8Array): void {
    this.#texts.push(text);
  }

  route(): Route {
    return {
      method: 'GET',
      path: '/metrics',
      needs: 'viewer',
      scoping: { refused: 'it counts what all callers do' },
      handle: async () => {
        // Before anything is waited for, so that families and texts of one source are of the same moment.
        const texts = this.#texts.map((text) => text());
        const families = await Promise.all(this.#sources.map(async (source) => await source()));
        const own = Buffer.from(exposition(families.flat()));
        return bytes(CONTENT_TYPE, Buffer.concat([own, ...texts]));
      },
    };
  }

  close(): void {
    this.#process.close();
  }
}
