/**
 * The blocks that are there, listed again from time to time. Blocks never change: each meta.json is read once.
 *
 * ```
 *   01HX…/meta.json            a block; without it, it is being written or deleted
 *   01HX…/deletion-mark.json   it waits for its deletion
 *   team-a/01HX…/meta.json     a block of a tenant, as Mimir has them
 * ```
 */
import { SingleFlight } from '../../cache/index.ts';
import { Unavailable } from '../../query/index.ts';
import { DamagedBlock } from '../../tsdb/index.ts';
import type { RangeSource, StoredFile } from '../places/range-source.ts';
import { ofMany, type FetchGate } from '../places/fetch-gate.ts';
import { chooseBlocks, type Chosen } from './choose-blocks.ts';
import { decodeStoredMeta, type StoredBlock } from './stored-block.ts';

export interface CatalogueOptions {
  readonly source: RangeSource;
  /** The folder of blocks below the source's own, with a slash at its end, or ''. */
  readonly tenant: string;
  readonly replicaLabels: readonly string[];
  readonly gate: FetchGate;
  /** Never jumps. */
  readonly elapsedMs: () => number;
}

export interface Catalogue extends Chosen {
  /** What is wrong with blocks that are there and whose times are not known. */
  readonly damages: readonly Unavailable[];
}

/** How old a list may be. */
const FRESH_MS = 60_000;
const META_BYTES_MAX = 4 << 20;
const BLOCK_FILE =
  /^(?:([^/]{1,255})\/)?([0-7][0-9A-HJKMNP-TV-Z]{25})\/(meta\.json|deletion-mark\.json)$/;

type Known = StoredBlock | Unavailable;

export class Catalogues {
  readonly #options: CatalogueOptions;
  readonly #flight: SingleFlight<Catalogue> = new SingleFlight();
  /** By the key and version of their meta.json. */
  #metas: ReadonlyMap<string, Known> = new Map();
  #newest: { readonly catalogue: Catalogue; readonly atMs: number } | undefined;

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  /** At most a minute old. @throws {Unavailable} when the blocks cannot be listed */
  async current(signal: AbortSignal): Promise<Catalogue> {
    const { elapsedMs } = this.#options;
    if (this.#newest !== undefined && elapsedMs() - this.#newest.atMs < FRESH_MS)
      return this.#newest.catalogue;
    return await this.listed(signal);
  }

  /** Listed now, unless others do. @throws {Unavailable} */
  async listed(signal: AbortSignal): Promise<Catalogue> {
    signal.throwIfAborted();
    return await this.#flight.run('', () => this.#list());
  }

  /** Whoever asks may leave; the list is for all. */
  async #list(): Promise<Catalogue> {
    const { source, tenant, replicaLabels, elapsedMs } = this.#options;
    const signal = ofMany(AbortSignal.timeout(LIST_MS));
    const atMs = elapsedMs();
    const { files, nowMs } = await source.list(tenant, (key) => BLOCK_FILE.test(key), signal);
    const found = files.flatMap((file) => {
      const [, folder = '', ulid = '', name = ''] = BLOCK_FILE.exec(file.key) ?? [];
      return `${folder}/` === tenant || (folder === '' && tenant === '')
        ? [{ file, ulid, name }]
        : [];
    });
    if (found.length === 0 && files.length > 0) throw this.#tenants(files);
    const marked = new Set(found.filter(({ name }) => name !== META).map(({ ulid }) => ulid));
    const metas = found.filter(({ name }) => name === META);
    const known = await this.#readAll(metas, signal);
    const all = [...known.values()];
    const blocks = all.flatMap((each) =>
      each instanceof Unavailable ? [] : [{ ...each, isMarked: marked.has(each.ulid) }],
    );
    const damages = metas.flatMap(({ file, ulid }) => {
      const each = known.get(keyOf(file));
      return each instanceof Unavailable && !marked.has(ulid) ? [each] : [];
    });
    this.#metas = known;
    const catalogue = { ...chooseBlocks(blocks, replicaLabels, nowMs), damages };
    this.#newest = { catalogue, atMs };
    return catalogue;
  }

  async #readAll(
    metas: readonly { readonly file: StoredFile; readonly ulid: string }[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Known>> {
    const known = new Map<string, Known>();
    await Promise.all(
      metas.map(async ({ file, ulid }) => {
        const key = keyOf(file);
        const meta = this.#metas.get(key) ?? (await this.#read(file, ulid, signal));
        // It was deleted meanwhile.
        if (meta !== undefined) known.set(key, meta);
      }),
    );
    return known;
  }

  async #read(file: StoredFile, ulid: string, signal: AbortSignal): Promise<Known | undefined> {
    const { source, gate } = this.#options;
    const path = `${source.name}/${file.key}`;
    if (file.bytes > META_BYTES_MAX) return new DamagedBlock(path, 0, 'it is too long');
    const bytes = await gate.run(() => source.read(file, 0, Math.max(1, file.bytes), signal));
    if (bytes === undefined) return undefined;
    try {
      const meta = decodeStoredMeta(Buffer.from(bytes).toString('utf8'), ulid);
      return { ...meta, uploadedMs: file.changedMs, isMarked: false };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      return new DamagedBlock(path, 0, reason, cause);
    }
  }

  #tenants(files: readonly StoredFile[]): Unavailable {
    const names = new Set(files.map(({ key }) => BLOCK_FILE.exec(key)?.[1] ?? ''));
    const { name } = this.#options.source;
    const shown = [...names].sort().slice(0, TENANTS_SHOWN).join(', ');
    const hint = '--metrics-tenant names one of them; whoever wants all starts one server each';
    return new Unavailable(`${name} has blocks of tenants: ${shown}`, { hint });
  }
}

const META = 'meta.json';
const TENANTS_SHOWN = 5;
/** A list of a large bucket has many pages, and the first one reads every meta.json. */
const LIST_MS = 10 * 60_000;

function keyOf({ key, version }: StoredFile): string {
  return `${key} ${version}`;
}
