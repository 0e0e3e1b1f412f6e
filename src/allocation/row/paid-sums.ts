/**
 * Sums of what rows pay for, by key: members of JSON objects such as `pvs`. Numbers of members with the
 * same key add up; of other values the last counts.
 */
import { spendHeap, type GrowingTexts } from '../../columnar/index.ts';

/** Heap that a member of a sum takes at least. */
const MEMBER_BYTES = 600;

type Value = string | number | boolean | null;
type Member = Record<string, Value>;

export class PaidSums {
  /** The text of groups with one row, which need not be read. */
  readonly #single: Map<number, string> = new Map();
  readonly #sums: Map<number, Map<string, Member>> = new Map();

  /** @param text of a row of the group, not empty @throws {HeapFull} */
  add(group: number, text: string): void {
    const sum = this.#sums.get(group);
    if (sum) {
      addMembers(sum, text);
      return;
    }
    const first = this.#single.get(group);
    if (first === undefined) {
      this.#single.set(group, text);
      return;
    }
    this.#single.delete(group);
    const started = new Map<string, Member>();
    this.#sums.set(group, started);
    addMembers(started, first);
    addMembers(started, text);
  }

  /** Writes the text of each group as a code of `texts`. */
  fill(target: Uint32Array, texts: GrowingTexts): void {
    const sums = Array.from(this.#sums, ([group, sum]): [number, string] => {
      // Whatever the order of rows was.
      const sorted = [...sum].sort(([a], [b]) => (a < b ? -1 : 1));
      return [group, JSON.stringify(Object.fromEntries(sorted))];
    });
    const written = [...this.#single, ...sums];
    const codes = texts.codes(written.map(([, text]) => text));
    for (const [i, [group]] of written.entries()) target[group] = codes[i] ?? 0;
  }
}

function addMembers(sum: Map<string, Member>, text: string): void {
  const members = JSON.parse(text) as Record<string, Member>;
  for (const [key, member] of Object.entries(members)) {
    const before = sum.get(key);
    if (before === undefined) {
      sum.set(key, member);
      spendHeap(MEMBER_BYTES);
      continue;
    }
    for (const [field, value] of Object.entries(member)) {
      const old = before[field];
      before[field] = typeof value === 'number' && typeof old === 'number' ? old + value : value;
    }
  }
}
