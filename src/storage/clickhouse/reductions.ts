/**
 * Asks the server to add up rows of sets (reduced-sql.ts), where that takes less than reading their columns. Whatever
 * fails is left to those who read the columns: they are checked, and find what is wrong.
 */
import { Unavailable } from '../../query/index.ts';
import type { ReducedBytes, Reduction } from '../reduction.ts';
import type { ClickHouse } from './client.ts';
import type { PushMode } from './push-mode.ts';
import { countQuestion, reducedQuestion } from './reduced-sql.ts';
import { Refused } from './refusal.ts';
import { FACTS, ROWS_A_GROUP, type SetFacts } from './set-facts.ts';
import { fileName, pieces, rowsOf, type SetVersion } from './set-file.ts';

/** Answers with more groups are no faster than columns. */
const GROUPS_MAX = 100_000;
/** Reading the columns of a set takes as much as so many answers of it. */
const ASKED_MAX = 3;
const REMEMBERED = 4000;
/** There are more groups than were wanted, or the server lets nobody limit them. */
const TOO_MANY = 158;
const READ_ONLY = 164;

export class Reductions {
  readonly #server: ClickHouse;
  readonly #mode: PushMode;
  readonly #facts: Remembered<SetFacts | null> = new Remembered();
  /** How often each set was asked. */
  readonly #asked: Remembered<number> = new Remembered();
  /** Questions that had too many groups, or rows that make them useless, in whichever set of the kind. */
  readonly #large: Remembered<true> = new Remembered();
  #isRefused = false;
  /** How many were answered. */
  answered = 0;

  constructor(server: ClickHouse, mode: PushMode) {
    this.#server = server;
    this.#mode = mode;
  }

  /**
   * @param isHere whether columns are in a file of this machine
   * @returns undefined where the columns are to be read
   */
  async ask(
    set: SetVersion,
    reduction: Reduction,
    isHere: (columns: readonly string[]) => boolean = () => false,
  ): Promise<ReducedBytes | undefined> {
    if (this.#mode === 'never' || this.#isRefused) return undefined;
    const name = fileName(set);
    const asked = this.#asked.get(name) ?? 0;
    if (this.#mode === 'auto' && (asked >= ASKED_MAX || isHere(columnsIn(reduction))))
      return undefined;
    const shape = shapeOf(set, reduction);
    if (this.#large.get(shape)) return undefined;
    try {
      const found = await this.#ask(set, reduction);
      if (found === undefined) return undefined;
      this.#asked.set(name, asked + 1);
      this.answered++;
      return found;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      const code = error instanceof Refused ? error.code : undefined;
      if (code === TOO_MANY) this.#large.set(shape, true);
      if (code === READ_ONLY) this.#isRefused = true;
      return undefined;
    }
  }

  async #ask(set: SetVersion, reduction: Reduction): Promise<ReducedBytes | undefined> {
    const facts = await this.#factsOf(set);
    if (facts === null || facts.rows === 0) return undefined;
    const from = rowsOf(this.#server, set);
    const groupsMax = Math.min(GROUPS_MAX, Math.max(1000, Math.floor(facts.rows / ROWS_A_GROUP)));
    const question = reducedQuestion(set, facts, reduction, from, groupsMax);
    if (question === undefined) return undefined;
    const { sql, plan } = question;
    if (plan.rows === null || reduction.without !== null) {
      const count = countQuestion(facts, reduction, from);
      const [found] = await this.#server.rows<{ rows: string; unwanted: string }>(
        'count rows',
        count,
      );
      if (found?.unwanted !== '0') this.#large.set(shapeOf(set, reduction), true);
      if (Number(found?.rows) !== facts.rows || found?.unwanted !== '0') return undefined;
    }
    const got: Uint8Array[] = [];
    for await (const piece of await this.#server.blocks('add up rows', sql)) got.push(piece);
    return { pieces: got, plan };
  }

  /** null: it was stored without. */
  async #factsOf(set: SetVersion): Promise<SetFacts | null> {
    const name = fileName(set);
    const known = this.#facts.get(name);
    if (known !== undefined) return known;
    const piece = (await pieces(this.#server, set, [FACTS])).get(FACTS);
    const facts = piece === undefined ? null : (JSON.parse(piece.toString()) as SetFacts);
    this.#facts.set(name, facts);
    return facts;
  }
}

function columnsIn(reduction: Reduction): string[] {
  const { apart, sums, greatest, least, alike, alikeWhereKnown, ranked, each } = reduction;
  const others = [alike, alikeWhereKnown, ranked.map(({ column }) => column), each];
  return [apart, sums, greatest, least, ...others].flat();
}

/** Equal for questions that have about as many groups. */
function shapeOf(
  { key }: SetVersion,
  { apart, apartWhere, each, only, without }: Reduction,
): string {
  return JSON.stringify([
    key.kind,
    key.endMs - key.startMs,
    apart,
    apartWhere,
    each,
    only,
    without,
  ]);
}

/** The newest of what was found out. */
class Remembered<Value> {
  readonly #values: Map<string, Value> = new Map();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (oldest !== undefined && this.#values.size > REMEMBERED) this.#values.delete(oldest);
  }
}
