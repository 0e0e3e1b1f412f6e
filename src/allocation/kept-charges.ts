/**
 * What the assets of stored sets charge to their rows, found by workers once for each set and bill:
 * files never change, so it stays true as long as they are there.
 */
import { type Arena, type Owners, withOwner } from '../columnar/index.ts';
import type { Pool } from '../pool/index.ts';
import { ArenaTexts, type HeldText } from './arena-texts.ts';
import type { AssetCharges, ChargedBy, MemberCharges } from './asset-charges.ts';
import { inLanes } from './lanes.ts';
import type { StoredTasks } from './stored-tasks.ts';

export interface KeptChargesOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<StoredTasks>;
  /** Of all texts together, here and once more in the arena. */
  readonly budgetBytes: number;
}

/** What is known of a set that charges nothing. */
const LEAST_BYTES = 200;
/** Sets that one task reads a bill for: of each, sums of its resources are held. */
const SETS_AT_ONCE = 31;
const NEVER: AbortSignal = new AbortController().signal;

export class KeptCharges {
  readonly #options: KeptChargesOptions;
  /** By `chargesId`, the one used last at the end. */
  readonly #known: Map<string, AssetCharges> = new Map();
  /** Those who ask at the same time wait for one computation. */
  readonly #making: Map<string, Promise<readonly AssetCharges[]>> = new Map();
  readonly #texts: ArenaTexts;
  #bytes = 0;

  constructor(options: KeptChargesOptions) {
    this.#options = options;
    this.#texts = new ArenaTexts(options);
  }

  /**
   * Lines of a bill are read once for many sets.
   * @returns of each, in their order
   * @throws {Unavailable} a set is damaged, or its disk does not answer
   */
  async open(asked: readonly ChargedBy[]): Promise<readonly AssetCharges[]> {
    const ids = asked.map(chargesId);
    const unknown = asked.filter((_, i) => !this.#known.has(ids[i] ?? ''));
    const found = new Map<string, AssetCharges>();
    await inLanes(inParts(unknown), async (part) => {
      const made = await this.#shared(part);
      part.forEach((by, i) => made[i] && found.set(chargesId(by), made[i]));
    });
    const all = ids.map((id) => this.#known.get(id) ?? found.get(id));
    ids.forEach((id, i) => all[i] && this.#keep(id, all[i]));
    return all.map((charges) => {
      if (charges === undefined) throw new Error('BUG: charges of a set were not made');
      return charges;
    });
  }

  /** What workers charge by. @throws {ArenaFull} when there is no room */
  hold({ id, assets }: MemberCharges): HeldText {
    return this.#texts.hold(id, assets);
  }

  #shared(part: readonly ChargedBy[]): Promise<readonly AssetCharges[]> {
    const id = part.map(chargesId).join('\n');
    const known = this.#making.get(id);
    if (known) return known;
    const making = this.#make(part).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    return making;
  }

  #make(part: readonly ChargedBy[]): Promise<readonly AssetCharges[]> {
    const lines = new Map(part.flatMap((by) => by.lines.map((line) => [textOf(line), line])));
    const input = { sets: part.map(({ assets }) => assets), lines: [...lines.values()] };
    return withOwner(this.#options, (owner) =>
      this.#options.pool.run('chargesOf', { ...input, owner }, NEVER),
    );
  }

  #keep(id: string, charges: AssetCharges): void {
    if (!this.#known.delete(id)) this.#bytes += bytesOf(id, charges);
    this.#known.set(id, charges);
    for (const [oldest, each] of this.#known) {
      if (this.#bytes <= this.#options.budgetBytes) return;
      this.#known.delete(oldest);
      this.#bytes -= bytesOf(oldest, each);
    }
  }
}

/** The same for the same charges. */
export function chargesId({ assets, lines }: ChargedBy): string {
  return [assets, ...lines].map(textOf).join(' ');
}

function textOf({ place, directory }: ChargedBy['assets']): string {
  return JSON.stringify([place, directory]);
}

function bytesOf(id: string, { assets }: AssetCharges): number {
  return LEAST_BYTES + id.length + assets.length;
}

/** Sets with a bill, and others, apart. */
function inParts(all: readonly ChargedBy[]): ChargedBy[][] {
  const isBilled = ({ lines }: ChargedBy): boolean => lines.length > 0;
  return [all.filter(isBilled), all.filter((by) => !isBilled(by))].flatMap((some) =>
    Array.from({ length: Math.ceil(some.length / SETS_AT_ONCE) }, (_, i) =>
      some.slice(i * SETS_AT_ONCE, (i + 1) * SETS_AT_ONCE),
    ),
  );
}
