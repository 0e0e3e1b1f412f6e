/**
 * Texts that workers read, in the arena while they are used and as long as there is room: a text of
 * some 100 KB a set that went along with each question would cost more than what it is about.
 */
import type { Arena, Owner, Owners } from '../columnar/index.ts';

export interface TextAt {
  readonly address: number;
  readonly bytes: number;
}

/** A text that stays where it is until it is released. */
export interface HeldText {
  readonly at: TextAt;
  readonly release: () => void;
}

interface Entry extends TextAt {
  readonly owner: Owner;
  users: number;
}

export interface ArenaTextsOptions {
  readonly arena: Arena;
  readonly owners: Owners;
  readonly budgetBytes: number;
}

export class ArenaTexts {
  readonly #options: ArenaTextsOptions;
  /** The one used last at the end. */
  readonly #entries: Map<string, Entry> = new Map();
  #bytes = 0;

  constructor(options: ArenaTextsOptions) {
    this.#options = options;
  }

  /**
   * @param id the same for the same text
   * @throws {ArenaFull} when there is no room
   */
  hold(id: string, text: string): HeldText {
    const entry = this.#entries.get(id) ?? this.#add(text);
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    entry.users++;
    let isHeld = true;
    const release = (): void => {
      if (isHeld) entry.users--;
      isHeld = false;
      this.#shrink();
    };
    return { at: { address: entry.address, bytes: entry.bytes }, release };
  }

  #add(text: string): Entry {
    const { arena, owners } = this.#options;
    const owner = owners.take();
    const bytes = Buffer.byteLength(text);
    try {
      const address = arena.allocate(bytes, owner);
      arena.text(address, bytes).write(text);
      this.#bytes += bytes;
      return { owner, address, bytes, users: 0 };
    } catch (error) {
      owners.free(owner);
      throw error;
    }
  }

  #shrink(): void {
    const { owners, budgetBytes } = this.#options;
    for (const [id, { owner, bytes, users }] of this.#entries) {
      if (this.#bytes <= budgetBytes) return;
      if (users > 0) continue;
      this.#entries.delete(id);
      this.#bytes -= bytes;
      owners.free(owner);
    }
  }
}

/** In any thread. */
export function readText(arena: Arena, { address, bytes }: TextAt): string {
  return arena.text(address, bytes).toString();
}
