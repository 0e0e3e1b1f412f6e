/**
 * Sums of what rows pay for, by key: members of JSON objects such as `pvs`. Numbers of members with the
 * same key add up, with their rounding errors, so that sums of sums are those of all; of other values the last
 * counts.
 */
import { spendHeap, type GrowingTexts } from '../../columnar/index.ts';

/** Heap that a member of a sum takes at least. */
const MEMBER_BYTES = 600;

type Value = string | number | boolean | null;
type Fields = Record<string, Value>;

/** The fields of one key, and what rounding took off their sums. */
interface Member {
  readonly fields: Fields;
  readonly rests: Map<string, number>;
}

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
    const sums = this.#texts(({ fields }) => fields);
    write(target, texts, [...this.#single, ...sums]);
  }

  /**
   * The same; and the texts of what rounding took off, which added to the others give the same in any further
   * sum: the code of '' where that is nothing.
   */
  fillWithRests(target: Uint32Array, rests: Uint32Array, texts: GrowingTexts): void {
    this.fill(target, texts);
    const left = this.#texts(({ rests: of }) =>
      of.size === 0 ? undefined : Object.fromEntries(of),
    );
    const some = left.filter(([, text]) => text !== '{}');
    write(rests, texts, some);
  }

  #texts(fieldsOf: (member: Member) => Fields | undefined): [number, string][] {
    return Array.from(this.#sums, ([group, sum]): [number, string] => {
      // Whatever the order of rows was.
      const sorted = [...sum].sort(([a], [b]) => (a < b ? -1 : 1));
      const members = sorted.flatMap(([key, member]): [string, Fields][] => {
        const fields = fieldsOf(settled(member));
        return fields === undefined ? [] : [[key, fields]];
      });
      return [group, JSON.stringify(Object.fromEntries(members))];
    });
  }
}

function write(
  target: Uint32Array,
  texts: GrowingTexts,
  written: readonly (readonly [group: number, text: string])[],
): void {
  const codes = texts.codes(written.map(([, text]) => text));
  for (const [i, [group]] of written.entries()) target[group] = codes[i] ?? 0;
}

/** With sums that are rounded once. */
function settled({ fields, rests }: Member): Member {
  const all: Fields = { ...fields };
  const left = new Map<string, number>();
  for (const [field, rest] of rests) {
    const sum = fields[field];
    if (typeof sum !== 'number') continue;
    const total = sum + rest;
    all[field] = total;
    const own = errorOf(sum, rest, total);
    if (own !== 0) left.set(field, own);
  }
  return { fields: all, rests: left };
}

/** Knuth's TwoSum: what rounding took off `total`, the sum of both. */
function errorOf(a: number, b: number, total: number): number {
  const part = total - a;
  return a - (total - part) + (b - part);
}

function addMembers(sum: Map<string, Member>, text: string): void {
  const members = JSON.parse(text) as Record<string, Fields>;
  for (const [key, fields] of Object.entries(members)) {
    const before = sum.get(key);
    if (before === undefined) {
      sum.set(key, { fields, rests: new Map() });
      spendHeap(MEMBER_BYTES);
      continue;
    }
    for (const [field, value] of Object.entries(fields)) add(before, field, value);
  }
}

function add({ fields, rests }: Member, field: string, value: Value): void {
  const old = fields[field];
  if (typeof value !== 'number' || typeof old !== 'number') {
    fields[field] = value;
    return;
  }
  const total = old + value;
  fields[field] = total;
  rests.set(field, (rests.get(field) ?? 0) + errorOf(old, value, total));
}
