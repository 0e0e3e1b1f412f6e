/**
 * Work that needs room in the arena. Where there is none, caches are cleared; then the work waits for
 * others that hold memory. So an answer that has begun is not broken off because others are at work,
 * and one that does not fit an empty arena is refused before it begins.
 */
import { ArenaFull, type Arena, type Owner, type Owners } from '../../columnar/index.ts';
import { Fault, Unavailable } from '../../query/index.ts';

export interface RoomOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  /** Computations that hold memory of the arena, beside the work here. */
  readonly running: ReadonlySet<Owner>;
}

export interface Waiting {
  /** Whether bytes of the answer may already be sent. */
  readonly phase: 'before' | 'after';
  readonly signal: AbortSignal;
  /** The computation among those that run that the work is of. */
  readonly self?: Owner;
  /** @param isAlone whether no other query was at work */
  readonly refuse: (error: ArenaFull, isAlone: boolean) => unknown;
}

/** How long an answer waits for room: before its first byte, and after. */
const WAIT_MS = { before: 10_000, after: 300_000 };
/**
 * How long where nobody else is at work. What has begun was found to fit, so it lacks what readers hold
 * that stand still: they are cut off after 30 s.
 */
const WAIT_ALONE_MS = { before: 0, after: 40_000 };
/** Wait for allocations that are small beside the arena. */
const FIND_MS = 60_000;
const LOOK_MS = 50;
/** Part of the arena that is in use whenever a server has answered. */
const OTHERS_SHARE = 1 / 4;
/** Part of it that chunks of ended answers keep, in pieces: src/settings/memory-budget.ts gives them a sixteenth. */
const PIECES_SHARE = 1 / 10;
const MIB = 2 ** 20;

export class Room {
  readonly #options: RoomOptions;
  readonly #spare: (() => void)[] = [];
  #working = 0;
  #begun = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** @param clear empties a cache when there is no room */
  canClear(clear: () => void): void {
    this.#spare.push(clear);
  }

  /**
   * Runs `work` for `owner`, again while there is no room for it.
   * @throws {Error} what `refuse` makes of it where it does not fit though nobody else is at work, or
   * others did not end in time
   */
  async use<T>(owner: Owner, waiting: Waiting, work: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + WAIT_MS[waiting.phase];
    const aloneMs = WAIT_ALONE_MS[waiting.phase];
    let aloneSinceMs = Infinity;
    this.#working++;
    this.#begun++;
    try {
      for (;;) {
        const begun = this.#begun;
        const full = await attempted(work);
        if (!(full instanceof ArenaFull)) return full.made;
        // Caches that this try has filled again are no other's.
        this.#options.owners.clear(owner);
        this.#clear();
        const isAlone = this.#isAlone(waiting, full);
        // What builds sets may have begun meanwhile, and others may have come and gone.
        const wasAlone = begun === this.#begun && isAlone;
        const isTooLarge = wasAlone && performance.now() >= aloneSinceMs + aloneMs;
        const isOver = !wasAlone && performance.now() > untilMs;
        if (isTooLarge || isOver) throw waiting.refuse(full, isTooLarge);
        aloneSinceMs = isAlone ? Math.min(aloneSinceMs, performance.now()) : Infinity;
        if (!isAlone || aloneMs > 0) await passed(LOOK_MS, waiting.signal);
      }
    } finally {
      this.#working--;
    }
  }

  #clear(): void {
    for (const clear of this.#spare) clear();
  }

  /**
   * Whether nothing else is at work, nor holds much: readers that stand still do not (written-sets.ts), what
   * builds sets in the background does. What is free, but in pieces between others', is theirs to give back;
   * where others hold next to nothing, the pieces lay between its own.
   */
  #isAlone({ self }: Waiting, { wantedBytes, freeBytes }: ArenaFull): boolean {
    const { arena, running } = this.#options;
    const isOwn = self !== undefined && running.has(self);
    const othersBytes = arena.usedBytes - (isOwn ? arena.bytesOf(self) : 0);
    const others = running.size - (isOwn ? 1 : 0);
    const share = wantedBytes <= freeBytes ? PIECES_SHARE : OTHERS_SHARE;
    const isRoomy = othersBytes <= share * arena.capacityBytes;
    return this.#working === 1 && others === 0 && isRoomy;
  }

  /**
   * Tries until there is room, for what is small beside the arena.
   * @throws {ArenaFull} when none came in time
   */
  async find<T>(signal: AbortSignal, attempt: () => T): Promise<T> {
    const untilMs = performance.now() + FIND_MS;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof ArenaFull) || performance.now() > untilMs) throw error;
        this.#clear();
      }
      await passed(LOOK_MS, signal);
    }
  }
}

async function attempted<T>(work: () => Promise<T>): Promise<{ readonly made: T } | ArenaFull> {
  try {
    return { made: await work() };
  } catch (error) {
    if (error instanceof ArenaFull) return error;
    throw error;
  }
}

/** 422 where a set does not fit though no other query is at work, 503 where others did not end in time. */
export function refuseSet({ capacityBytes }: Arena): Waiting['refuse'] {
  return (error, isAlone) => (isAlone ? tooLarge(capacityBytes, error) : tooBusy(error));
}

function tooLarge(capacityBytes: number, cause: ArenaFull): Fault {
  const mib = (capacityBytes / MIB).toFixed(0);
  return new Fault(`this needs more than the ${mib} MiB that the server has for columns`, {
    status: 422,
    isOfAllRows: true,
    hint: 'ask for a shorter window or coarser groups; or give the server more memory (--memory-limit)',
    cause,
  });
}

function tooBusy(cause: ArenaFull): Unavailable {
  return new Unavailable(`cannot compute this now: ${cause.message}`, {
    hint: 'ask again, for a shorter window or coarser groups; or give the server more memory (--memory-limit)',
    retryAfterSeconds: 1,
    cause,
  });
}

/** @throws the signal's reason */
async function passed(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
  signal.throwIfAborted();
}
