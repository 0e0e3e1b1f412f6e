/**
 * Texts of a delivery's files and what is made of them. Each is looked at once, however many rows and
 * blocks have it: from then on it is a code, of which the answer is known.
 */
import { TextIndex, type Engine, type Owner } from '../../columnar/index.ts';
import { Meanings } from './meanings.ts';

/** How cells stand in a file. */
export interface Spelling {
  /** What a cell says. */
  read(written: string): string;
  /** What is otherwise in a file than it is meant, of ASCII: a byte; absent: nothing is. */
  readonly escape?: number;
}

/** What files write where they have nothing; their codes are the first. */
const NULLS = ['', 'NULL', 'null'] as const;

/** Then all are forgotten: a bill of ever new texts must not fill the memory. */
const TEXTS_MAX = 65_536;
const BYTES_MAX = 4 * 2 ** 20;
/** What no byte of ASCII is. */
const NO_BYTE = 256;

export class CellTexts {
  /** Of cells, as the file has them. */
  readonly cells: TextIndex;
  /** Of rows that are kept. */
  readonly kept: TextIndex;
  /** A kept text for each cell: the same. */
  readonly same: Meanings;
  readonly #engine: Engine;
  readonly #spelling: Spelling;
  readonly #meanings: Map<string, Meanings> = new Map();

  /** @param owner of the tables, which grow until it is released */
  constructor(engine: Engine, owner: Owner, spelling: Spelling) {
    this.#engine = engine;
    this.#spelling = spelling;
    this.cells = new TextIndex(engine, owner);
    this.kept = new TextIndex(engine, owner);
    this.same = new Meanings((code) => this.#keepSame(code));
    this.#forget();
  }

  /** To be called before a block is read: codes hold until then. */
  begin(): void {
    for (const { size, bytes } of [this.cells, this.kept]) {
      if (size > TEXTS_MAX || bytes > BYTES_MAX) return this.#forget();
    }
  }

  /** What the cell says. */
  text(code: number): string {
    return this.#spelling.read(this.cells.text(code));
  }

  isNull(code: number): boolean {
    return code < NULLS.length;
  }

  /**
   * What is made of texts, a number each; NaN where there is none, and for cells that have nothing.
   * @param name of what is made of them: always by the same function
   */
  meaning(name: string, read: (text: string) => number | undefined): Meanings {
    return this.byCode(name, (code) => (this.isNull(code) ? NaN : (read(this.text(code)) ?? NaN)));
  }

  /** The code of the kept text that is made of a cell: 0 where it has nothing, NaN for bad ones. */
  keptAs(name: string, read: (text: string) => string | undefined): Meanings {
    return this.byCode(name, (code) => {
      if (this.isNull(code)) return 0;
      const text = read(this.text(code));
      return text === undefined ? NaN : this.kept.code(text);
    });
  }

  /** As `meaning`, of the codes of cells. */
  byCode(name: string, read: (code: number) => number): Meanings {
    const known = this.#meanings.get(name) ?? new Meanings(read);
    this.#meanings.set(name, known);
    return known;
  }

  /** Bytes are copied where they can only be meant as they are. */
  #keepSame(code: number): number {
    if (this.isNull(code)) return 0;
    const { at, length } = this.cells.place(code);
    const { escape = NO_BYTE } = this.#spelling;
    if (this.#engine.kernels.isPlain(at, length, escape) === 0) {
      return this.kept.code(this.text(code));
    }
    return this.kept.codeAt(at, length);
  }

  #forget(): void {
    this.cells.clear();
    this.kept.clear();
    for (const meanings of [this.same, ...this.#meanings.values()]) meanings.forget();
    for (const text of NULLS) this.cells.code(text);
  }
}
