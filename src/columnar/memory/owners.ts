/** Owners of memory of the arena: a request, a stored set, a worker. */
import { OWNER_GENERATION_MAX, SLOTS_MAX } from './arena-memory.ts';
import type { Arena, Owner } from './arena.ts';

/**
 * Hands out owner numbers, and knows which owners hold others' memory; one per process, on the main
 * thread. An owner's memory is freed with the owner, or with the last owner that holds it.
 */
export class Owners {
  readonly #arena: Arena;
  readonly #alive: Map<Owner, Alive> = new Map();
  /** The number of owners that each slot had. */
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

  /** Memory of `held` stays until `holder` is freed as well. */
  hold(holder: Owner, held: Owner): void {
    const { held: already } = this.#of(holder);
    if (holder === held || already.has(held)) return;
    this.#of(held).holders++;
    already.add(held);
  }

  /** The owners that `owner` holds. */
  heldBy(owner: Owner): readonly Owner[] {
    return [...this.#of(owner).held];
  }

  /**
   * Ends an owner: nothing more is allocated for it. Its memory is freed, and the owners it held are let
   * go, as soon as no other owner holds it.
   * @throws {Error} when it was freed before
   */
  free(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed) throw new Error(`BUG: owner ${owner} is freed twice`);
    alive.isFreed = true;
    this.#arena.end(owner);
    this.#freeUnheld(owner, alive);
  }

  /** Frees an owner's memory and lets go what it held; the owner stays alive for new memory. */
  clear(owner: Owner): void {
    const alive = this.#of(owner);
    if (alive.isFreed || alive.holders > 0) throw new Error(`BUG: owner ${owner} is held`);
    this.#arena.release(owner);
    this.#letGo(alive.held);
  }

  #freeUnheld(owner: Owner, { isFreed, holders, held }: Alive): void {
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
      this.#freeUnheld(each, of);
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
