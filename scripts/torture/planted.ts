/**
 * Faults that are put into a copy of the sources, one at a time: the short form must find each, else
 * it would not find such a fault that came by itself.
 */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCheckable } from './server.ts';
import type { ShortForm } from './short-form.ts';

/** A text that stands once in a file, and what stands there instead. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Planted {
  readonly name: string;
  readonly edits: readonly Edit[];
}

const CHUNKS = 'src/allocation/formats/row-chunks.ts';
const OWNERS = 'src/columnar/memory/owners.ts';
/** What the server asks itself while it starts is of few rows. */
const MANY = 'if (unit.from > 1000)';
const YIELD = 'pace.taken(yield arena.u8(address, chunk.bytes));';

export const PLANTED: readonly Planted[] = [
  {
    name: 'what rows are read from is given back before they are written',
    edits: [
      {
        file: 'src/allocation/stored/answer-sets.ts',
        find: 'for (const held of set.holds) owners.hold(owner, held);',
        replace: '',
      },
    ],
  },
  {
    name: 'a slot is given back while it is being sent',
    edits: [
      {
        file: CHUNKS,
        find: YIELD,
        replace: `${MANY} this.#options.compute.slots.giveBack(unit.slot); ${YIELD}`,
      },
    ],
  },
  {
    name: 'a row is left out',
    edits: [
      {
        file: CHUNKS,
        find: 'this.#nextRow = chunk.nextRow;',
        replace: 'this.#nextRow = chunk.nextRow + 1;',
      },
    ],
  },
  {
    name: 'a row comes twice',
    edits: [
      {
        file: CHUNKS,
        find: 'this.#nextRow = to;',
        replace: 'this.#nextRow = Math.max(from + 1, to - 1);',
      },
    ],
  },
  {
    name: 'a chunk is short by a byte',
    edits: [{ file: CHUNKS, find: YIELD, replace: YIELD.replace('bytes)', 'bytes - 1)') }],
  },
  {
    name: 'a slot is given back twice',
    edits: [
      {
        file: CHUNKS,
        find: 'if (this.#held.delete(unit)) this.#options.compute.slots.giveBack(unit.slot);',
        replace: `this.#held.delete(unit); ${MANY} this.#options.compute.slots.giveBack(unit.slot); this.#options.compute.slots.giveBack(unit.slot);`,
      },
    ],
  },
  {
    name: 'escaped texts are freed before rows are written of them',
    edits: [
      {
        file: 'src/columnar/faces/escape.ts',
        find: 'arena.free(used.address, used.bytes);',
        replace: 'arena.free(used.address, used.bytes); arena.free(offsets, 4 * (size + 1));',
      },
    ],
  },
  {
    name: 'bytes are copied from a place that is off by one',
    edits: [
      {
        file: 'src/allocation/formats/set-at.ts',
        find: 'arena.u8(address + from, bytes)',
        replace: 'arena.u8(address + Math.max(0, from - 1), bytes)',
      },
    ],
  },
  {
    name: 'of the bytes of a batch all pages but the first are freed',
    edits: [
      {
        file: 'src/allocation/formats/arrow.ts',
        find: 'arena.shrink(run.address, run.bytes, from + batch.length);',
        replace: 'arena.shrink(run.address, run.bytes, 1);',
      },
      {
        file: 'src/allocation/formats/arrow.ts',
        find: 'address: run.address + from,',
        replace: 'address: batch.byteOffset,',
      },
    ],
  },
  {
    name: 'an answer that breaks off ends as if it were whole',
    edits: [
      {
        file: 'src/http/exchange.ts',
        find: 'this.#site.log(`an answer broke off: ${requestText(this.#head)}`, error);\n      return this.cut();',
        replace: 'this.#done(); return this.#wire.end();',
      },
      {
        file: CHUNKS,
        find: 'const isWhole = this.#isWhole(unit, chunk);',
        replace: `const isWhole = this.#isWhole(unit, chunk); if (chunk.nextRow > 2000) throw new Error('planted');`,
      },
    ],
  },
  {
    name: 'releasing an owner frees a page of the next one',
    edits: [
      {
        file: 'src/columnar/memory/page-table.ts',
        find: '(first, end) => this.#freePages(first, end)',
        replace: '(first, end) => this.#freePages(first, end - first > 40 ? end + 1 : end)',
      },
    ],
  },
  {
    name: "a living owner's number is handed out again",
    edits: [
      {
        file: OWNERS,
        find: 'do this.#next = (this.#next + 1) % SLOTS_MAX;',
        replace: 'do if (this.#next < 200) this.#next++;',
      },
      {
        file: OWNERS,
        find: 'while (this.#slots.has(this.#next));',
        replace: 'while (this.#next < 200 && this.#slots.has(this.#next));',
      },
    ],
  },
  {
    name: 'parts of what is compressed are lost',
    edits: [
      {
        file: 'src/http/compress.ts',
        find: 'wasTaken = (yield part) !== false && wasTaken;',
        replace:
          'if (part.length < 20000 || part.length === 65536) wasTaken = (yield part) !== false && wasTaken;',
      },
    ],
  },
];

/** @throws where a text does not stand there exactly once */
export function edited(text: string, { file, find, replace }: Edit): string {
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`${file}: '${find}' stands there ${found} times, not once`);
  return text.replace(find, () => replace);
}

export interface PlantedOptions {
  /** The folder of the sources. */
  readonly root: string;
  readonly form: ShortForm;
  /** Only faults whose names have it. */
  readonly only: string;
  readonly isChecked: boolean;
  readonly note: (line: string) => void;
}

/** `dead`: a server that does not even start shows nothing of what the harness sees. */
type Found = 'well' | 'wrong' | 'dead';

/**
 * @returns names of the faults that were not found
 * @throws where something is wrong without any
 */
export async function tryPlanted(options: PlantedOptions): Promise<string[]> {
  const missed: string[] = [];
  const sound = await tryOne(options, { name: 'nothing is planted', edits: [] });
  if (sound !== 'well') throw new Error(`without any fault: ${sound}`);
  for (const planted of PLANTED.filter(({ name }) => name.includes(options.only))) {
    const found = await tryOne(options, planted);
    if (found !== 'wrong') missed.push(planted.name);
  }
  return missed;
}

async function tryOne(
  { root, form, isChecked, note }: PlantedOptions,
  { name, edits }: Planted,
): Promise<Found> {
  const tree = plantedTree(root, edits);
  try {
    // Before a server's start is timed: it builds the bundle.
    const canCheck = isCheckable(tree);
    const trial = { tree, isChecked: isChecked && canCheck, stopsEarly: true };
    const tally = await form.try({ ...trial, note: () => undefined });
    const [wrong = 'no answer was right'] = tally.wrongs;
    note(`${name}: ${tally.isWell ? 'nothing is wrong' : wrong.slice(0, 300)}`);
    return tally.isWell ? 'well' : 'wrong';
  } catch (error) {
    note(`${name}: it does not run: ${String(error).slice(0, 600)}`);
    return 'dead';
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** @returns a new folder with the edited sources, to be removed */
export function plantedTree(root: string, edits: readonly Edit[]): string {
  const tree = mkdtempSync(join(tmpdir(), 'prorata-planted-'));
  try {
    copySources(root, tree);
    for (const edit of edits) {
      const path = join(tree, edit.file);
      writeFileSync(path, edited(readFileSync(path, 'utf8'), edit));
    }
    return tree;
  } catch (error) {
    rmSync(tree, { recursive: true, force: true });
    throw error;
  }
}

/** But what is made of them; the packages are the same. */
function copySources(root: string, tree: string): void {
  const names = readdirSync(root).filter((name) => !LEFT_OUT.has(name));
  for (const name of names) {
    cpSync(join(root, name), join(tree, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
}

const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', 'dist', 'data', '.git', '.types']);
