/** Owners of memory of the arena: a request, a stored set, a worker. */
import { OWNER_GENERATION_MAX, SLOTS_MAX } from './arena-memory.ts';
import type { Arena, Owner } from './arena.ts';

/**
 * Hands out owner numbers, and knows who addresses whose memory; one per process, on the main thread.
 * What an owner has is freed when the owner is, or, where others hold it, when the last of them is.
 */
export class Owners {
  readonly #arena: Arena;
  readonly #alive: Map<Owner, Alive> = new Map();
  /** By slot: how many owners it had. */
  readonly #generations: Uint16Array = new Uint16Array(SLOTS_MAX);
  readonly #slots: Set<number> = new Set();
  #next = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** @throws {Error} when 65,536 owners are alive at once */
  take(): Owner {
    if (this.#slots.size >= SLOTS_MAX) throw new Error('BUG: 65,536 owners are alive');
    do this.#next = (this.#next + 1) % SLOTS_MAX;
    while (this.#slots.has(this.#next));
    const slot = this.#next;
    this.#slots.add(slot);
    const generation = ((this.#generations[slot] ?? 0) % OWNER_GENERATION_MAX) + 1;
    this.#generations[slot] = generation;
    const owner = this.#arena.begin(slot, generation);
    this.#alive.set(owner, { isFreed: false, holders: 0, held: new Set() });
    return owner;
  }

  /** What `held` has stays until `holder` is freed as well. */
  hold(holder: Owner, held: Owner): void {
    const { held: already } = this.#of(holder);
    if (holder === held || already.has(held)) return;
    this.#of(held).holders++;
    already.add(held);
  }

  /** The owners whose memory stays for `owner`'s sake. */
  heldBy(owner: Owner): readonly Owner[] {
    return [...this.#of(owner).held];
  }

  /**
   * Ends an owner: nothing more is allocated for it, and what it has is freed, with what it held, as
   * soon as nobody holds it.
   * @throws {Error} when it was freed before
   */
  free(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed) throw new Error(`BUG: owner ${owner} is freed twice`);
    alive.isFreed = true;
    this.#arena.end(owner);
    this.#settle(owner, alive);
  }

  /** Frees what an owner has and what it held, for what it is to have instead. */
  clear(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed || alive.holders > 0) throw new Error(`BUG: owner ${owner} is held`);
    this.#arena.release(owner);
    this.#letGo(alive.held);
  }

  #settle(owner: Owner, { isFreed, holders, held }: Alive): void {
    if (!isFreed || holders > 0) return;
    this.#arena.release(owner);
    this.#alive.delete(owner);
    this.#slots.delete(owner & 0xffff);
    this.#letGo(held);
  }

  #letGo(held: Set<Owner>): void {
    for (const each of held) {
      const of = this.#of(each);
      of.holders--;
      this.#settle(each, of);
    }
    held.clear();
  }

  #of(owner: Owner): Alive {
    const alive = this.#alive.get(owner);
    if (alive === undefined) throw new Error(`BUG: owner ${owner} was given back`);
    return alive;
  }
}

interface Alive {
  isFreed: boolean;
  /** Owners that hold it. */
  holders: number;
  readonly held: Set<Owner>;
}
