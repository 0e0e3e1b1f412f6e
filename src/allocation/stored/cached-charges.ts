/**
 * Charges of the assets of stored sets to their rows, computed by workers once for each set and bill:
 * files never change, so it stays true as long as they are there.
 */
import type { RecentBill } from '../../assets/recent-bill.ts';
import {
  ArenaCache,
  Cache,
  SingleFlight,
  sumOfStates,
  type CacheState,
  type Held,
} from '../../cache/index.ts';
import { storeText, withOwner, type TextPiece } from '../../columnar/index.ts';
import { NEVER, slicesOf, type Compute } from '../../pool/index.ts';
import { originOf } from '../../storage/index.ts';
import type { AssetCharges, ChargedBy, MemberCharges } from '../reconcile/asset-charges.ts';
import { inLanes } from '../caches/lanes.ts';
import type { StoredTasks } from './tasks.ts';

export interface CachedChargesOptions extends Compute<StoredTasks> {
  /** Budget of all texts together, here and once more in the arena. */
  readonly budgetBytes: number;
}

/** Bytes of an entry without charges. */
const LEAST_BYTES = 200;
/** Sets that one task reads a bill for: of each, sums of its resources are held. */
const SETS_AT_ONCE = 31;

export class CachedCharges {
  readonly #options: CachedChargesOptions;
  /** By `chargesId`. */
  readonly #known: Cache<AssetCharges>;
  /** By the sets made together, so that damage fails no request for other sets. */
  readonly #making: SingleFlight<readonly AssetCharges[]> = new SingleFlight();
  readonly #texts: ArenaCache<TextPiece>;

  constructor(options: CachedChargesOptions) {
    this.#options = options;
    this.#known = new Cache({
      budget: options.budgetBytes,
      sizeOf: ({ assets }, id) => LEAST_BYTES + id.length + assets.length,
    });
    this.#texts = new ArenaCache(options);
  }

  get state(): CacheState {
    return sumOfStates([this.#known.state, this.#texts.state]);
  }

  /**
   * Lines of a bill are read once for many sets.
   * @returns the charges of each, in their order
   * @throws {Unavailable} a set is damaged, or its disk does not answer
   */
  async open(wanted: readonly ChargedBy[]): Promise<readonly AssetCharges[]> {
    const ids = wanted.map(chargesId);
    const found = new Map(ids.map((id) => [id, this.#known.get(id)]));
    const unknown = wanted.filter((_, i) => found.get(ids[i] ?? '') === undefined);
    await inLanes(inParts(unknown), async (part) => {
      const id = part.map(chargesId).join('\n');
      const made = await this.#making.run(id, () => this.#make(part));
      part.forEach((by, i) => found.set(chargesId(by), made[i]));
    });
    return ids.map((id) => {
      const charges = found.get(id);
      if (charges === undefined) throw new Error('BUG: charges of a set were not made');
      this.#known.set(id, charges);
      return charges;
    });
  }

  /** The charges in the arena, for workers, until they are released. @throws {ArenaFull} when there is no room */
  hold({ id, assets }: MemberCharges): Promise<Held<TextPiece>> {
    return this.#texts.open(id, async (owner) => storeText(this.#options.arena, owner, assets));
  }

  /** Frees charges in the arena that nobody holds. */
  clear(): void {
    this.#texts.clear();
  }

  #make(part: readonly ChargedBy[]): Promise<readonly AssetCharges[]> {
    const lines = new Map(part.flatMap((by) => by.lines.map((line) => [textOf(line), line])));
    const recent = part[0]?.recent ?? null;
    const days = new Map(part.flatMap(({ day }) => (day ? [[textOf(day), day] as const] : [])));
    const sets = part.map(({ assets }) => assets);
    const concerned = part.map((by) => by.concerned);
    const ofBill = { days: [...days.values()], lines: [...lines.values()], recent };
    const input = { sets, concerned, ...ofBill };
    return withOwner(this.#options, (owner) =>
      this.#options.pool.run('chargesOf', { ...input, owner }, NEVER),
    );
  }
}

/** The same for the same charges. */
export function chargesId({ assets, day, lines, recent }: ChargedBy): string {
  const stored = [assets, ...(day ? [day] : []), ...lines];
  return [...stored.map(textOf), recentId(recent)].join(' ');
}

function recentId(recent: RecentBill | null): string {
  return recent === null ? '' : [...recent.days, ...recent.lines].map(textOf).join(' ');
}

function textOf(stored: ChargedBy['assets']): string {
  return JSON.stringify(originOf(stored));
}

/** Sets that need the same of bills, in parts. */
function inParts(all: readonly ChargedBy[]): ChargedBy[][] {
  const alike = new Map<string, ChargedBy[]>();
  for (const by of all) {
    const key = `${by.lines.length > 0} ${recentId(by.recent)}`;
    alike.set(key, [...(alike.get(key) ?? []), by]);
  }
  return [...alike.values()].flatMap((some) => slicesOf(some, SETS_AT_ONCE));
}
