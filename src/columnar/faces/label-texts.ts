/**
 * Labels of rows by kernels (workers/kernels/text/label-pairs.ts): texts of names and values, such as
 * `{"app":"cart","tier":"web"}`, are read where they are, each once, and none becomes a string.
 */
import { codesIn, numberPairs, type Workspace } from './codes.ts';
import { ODD_LABELS } from './layout/constants.ts';
import { Dictionary, type Texts } from '../table/dictionary.ts';
import type { TextColumn } from '../table/table.ts';
import { TextIndex } from './text-index.ts';

/** Texts that kernels can read. */
type TextsInArena = Dictionary | TextIndex;

/** A pair is at least `"":""` and a comma, or the brace before it. */
const PAIR_BYTES_LEAST = 6;

export interface WantedLabel {
  /** As a metrics store spells it: letters, digits and `_`. */
  readonly name: string;
  /** As kube-state-metrics spells it: it counts in texts that do not have the name. */
  readonly alike: string;
  /** The text of rows without a value: ASCII. */
  readonly other: string;
  /** `name=value` of a text that the kernel does not read, or `other`. */
  readonly odd: (code: number) => string;
}

/**
 * @returns the code of `name=value` in the index for each text that some row has. Undefined where texts are not
 *   in the arena
 */
export function codesOfLabel(
  space: Workspace,
  { codes, texts }: TextColumn,
  { name, alike, other, odd }: WantedLabel,
  index: TextIndex,
): Uint32Array | undefined {
  if (!isInArena(texts)) return undefined;
  const { arena, kernels } = space.engine;
  const { size } = texts;
  const found = arena.u32(arena.allocateZeroed(4 * size, space.owner), size);
  const used = codesIn(space, codes, size).byteOffset;
  const runs = new Runs(space);
  const nameAt = runs.latin1(name);
  const alikeAt = runs.latin1(alike);
  const otherAt = runs.latin1(other);
  const longest = kernels.longestText(texts.at.offsets, size) >>> 0;
  const scratch = runs.take(name.length + 1 + longest);
  const { offsets, bytes } = texts.at;
  const wanted = [
    nameAt,
    name.length,
    alikeAt,
    alike.length,
    otherAt,
    other.length,
    scratch,
  ] as const;
  for (let code = 0; code < size;) {
    code = kernels.addLabels(
      index.state,
      offsets,
      bytes,
      used,
      size,
      ...wanted,
      code,
      found.byteOffset,
    );
    if (code >= size) break;
    if (found[code] === ODD_LABELS) found[code] = index.code(odd(code++));
    else index.grow();
  }
  runs.free();
  return found;
}

/** Rows by their groups, of which labels are compared. */
export interface LabelledRows {
  readonly codes: Uint32Array;
  readonly groups: Uint32Array;
}

/**
 * The text that all rows of a group share; where they have different ones, that of the pairs that they share.
 * @param common of `commonCodes`, one a group
 * @param to the code of each group's text, in the arena
 * @returns false where a text must be read otherwise: then nothing is written
 */
export function shareLabels(
  space: Workspace,
  rows: readonly LabelledRows[],
  texts: Texts,
  common: Int32Array,
  index: TextIndex,
  to: Uint32Array,
): boolean {
  if (!isInArena(texts)) return false;
  const { arena, kernels } = space.engine;
  const runs = new Runs(space);
  const used = runs.zeroed(texts.size);
  const marks = arena.u8(used, texts.size);
  for (const { codes } of rows) codesIn(space, codes, texts.size, marks);
  const split = splitTexts(space, runs, texts, used);
  if (split !== undefined) {
    const { pairs, starts, lists } = split;
    const longest = longestList(arena.u32(starts, texts.size + 1));
    const work = runs.take(4 * longest * common.length);
    const lengths = runs.zeroed(4 * common.length);
    const [at, groups] = [common.byteOffset, common.length];
    for (const each of rows) {
      const { pairs: found } = numberPairs(space, each.groups, each.codes);
      const [from, count] = [found.byteOffset, found.length / 2];
      kernels.agreeLabels(from, count, at, groups, starts, lists, longest, work, lengths);
    }
    const scratch = runs.take(kernels.longestText(texts.at.offsets, texts.size) >>> 0);
    const { offsets, bytes } = texts === index ? NOWHERE : texts.at;
    const rest = [pairs.state, at, groups, longest, work, lengths, scratch] as const;
    index.addAll(groups, (from) =>
      kernels.addAgreed(index.state, offsets, bytes, ...rest, from, to.byteOffset),
    );
    pairs.free();
  }
  runs.free();
  return split !== undefined;
}

/** Codes are those of the index itself. */
const NOWHERE = { offsets: 0, bytes: 0 };

interface SplitTexts {
  /** Texts of pairs; with the workspace's owner. */
  readonly pairs: TextIndex;
  /** Addresses of the place of each text's list, and of the lists. */
  readonly starts: number;
  readonly lists: number;
}

/** The pairs of texts by code; undefined where one must be read otherwise. */
function splitTexts(
  space: Workspace,
  runs: Runs,
  texts: TextsInArena,
  used: number,
): SplitTexts | undefined {
  const { arena, kernels } = space.engine;
  const { size } = texts;
  const { offsets, bytes, length } = texts.at;
  const room = 4 * Math.ceil(length / PAIR_BYTES_LEAST);
  const [starts, lists, names] = [runs.take(4 * (size + 1)), runs.take(room), runs.take(room)];
  arena.u32(starts, 1)[0] = 0;
  const pairs = new TextIndex(space.engine, space.owner);
  const read = pairs.addAll(size, (from) =>
    kernels.splitLabels(pairs.state, offsets, bytes, used, size, from, starts, lists, names),
  );
  if (read !== ODD_LABELS) return { pairs, starts, lists };
  pairs.free();
  return undefined;
}

function longestList(starts: Uint32Array): number {
  let longest = 0;
  for (let i = 1; i < starts.length; i++) {
    longest = Math.max(longest, (starts[i] ?? 0) - (starts[i - 1] ?? 0));
  }
  return longest;
}

function isInArena(texts: Texts): texts is TextsInArena {
  return texts instanceof Dictionary || texts instanceof TextIndex;
}

/** Runs of the arena that are freed together. */
class Runs {
  readonly #space: Workspace;
  readonly #all: { readonly address: number; readonly bytes: number }[] = [];

  constructor(space: Workspace) {
    this.#space = space;
  }

  take(bytes: number): number {
    const { engine, owner } = this.#space;
    const address = engine.arena.allocate(bytes, owner);
    this.#all.push({ address, bytes });
    return address;
  }

  /** A text of ASCII. */
  latin1(text: string): number {
    const address = this.take(text.length);
    this.#space.engine.arena.text(address, text.length).write(text, 'latin1');
    return address;
  }

  zeroed(bytes: number): number {
    const { engine, owner } = this.#space;
    const address = engine.arena.allocateZeroed(bytes, owner);
    this.#all.push({ address, bytes });
    return address;
  }

  free(): void {
    for (const { address, bytes } of this.#all) this.#space.engine.arena.free(address, bytes);
  }
}
