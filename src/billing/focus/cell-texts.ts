/**
 * Texts of a delivery's files, and the values that they stand for. Each text is read once, however many
 * rows and blocks have it: from then on it is a code with a known value.
 */
import { isUtf8 } from 'node:buffer';
import { TextIndex, type Engine, type Owner } from '../../columnar/index.ts';
import { CodeValues } from './code-values.ts';

/** The spelling of cells in a file. */
export interface Spelling {
  /** The text of a cell. */
  read(written: string): string;
  /** The byte that escapes others in ASCII; absent: none does. */
  readonly escape?: number;
}

/** Texts of files for an empty cell; their codes are the first. */
const NULLS = ['', 'NULL', 'null'] as const;

/** Remembered texts; then all are forgotten, as a bill of ever new texts must not fill the memory. */
const TEXTS_MAX = 65_536;
const BYTES_MAX = 4 * 2 ** 20;
/** Some exports write one inside of files. */
const BYTE_ORDER_MARK = '\ufeff';
const MARK_BYTE = 0xef;
/** A number that no byte has. */
const NO_BYTE = 256;

export class CellTexts {
  /** Texts of cells, as the file has them. */
  readonly cells: TextIndex;
  /** Texts of stored rows. */
  readonly stored: TextIndex;
  /** The stored text of each cell that is stored as it is. */
  readonly same: CodeValues;
  readonly #engine: Engine;
  readonly #spelling: Spelling;
  readonly #values: Map<string, CodeValues> = new Map();

  /** @param owner of the tables, which grow until it is released */
  constructor(engine: Engine, owner: Owner, spelling: Spelling) {
    this.#engine = engine;
    this.#spelling = spelling;
    this.cells = new TextIndex(engine, owner);
    this.stored = new TextIndex(engine, owner);
    this.same = new CodeValues((code) => this.#storeSame(code));
    this.#forget();
  }

  /** Called before a block is read: codes are valid until the next call. */
  begin(): void {
    for (const { size, bytes } of [this.cells, this.stored]) {
      if (size > TEXTS_MAX || bytes > BYTES_MAX) return this.#forget();
    }
  }

  /** The text of a cell. */
  text(code: number): string {
    const text = this.#spelling.read(this.cells.text(code));
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
  }

  /** False for a text of another encoding. */
  isUtf8(code: number): boolean {
    const { at, length } = this.cells.place(code);
    return isUtf8(this.#engine.arena.u8(at, length));
  }

  isNull(code: number): boolean {
    return code < NULLS.length;
  }

  /**
   * Values of texts, a number each; NaN for texts without a value, and for empty cells.
   * @param name of the value: always with the same function
   */
  valuesOf(name: string, read: (text: string) => number | undefined): CodeValues {
    return this.byCode(name, (code) => (this.isNull(code) ? NaN : (read(this.text(code)) ?? NaN)));
  }

  /** Codes of stored texts that are made of cells: 0 for empty ones, NaN for bad ones. */
  storedAs(name: string, read: (text: string) => string | undefined): CodeValues {
    return this.byCode(name, (code) => {
      if (this.isNull(code)) return 0;
      const text = read(this.text(code));
      return text === undefined ? NaN : this.stored.code(text);
    });
  }

  /** Values like those of `valuesOf`, by the codes of cells. */
  byCode(name: string, read: (code: number) => number): CodeValues {
    const known = this.#values.get(name) ?? new CodeValues(read);
    this.#values.set(name, known);
    return known;
  }

  /** Bytes are copied where nothing in them is escaped. */
  #storeSame(code: number): number {
    if (this.isNull(code)) return 0;
    const { at, length } = this.cells.place(code);
    const { escape = NO_BYTE } = this.#spelling;
    const isMarked = length > 0 && this.#engine.arena.u8(at, 1)[0] === MARK_BYTE;
    if (isMarked || this.#engine.kernels.isPlain(at, length, escape) === 0) {
      return this.stored.code(this.text(code));
    }
    return this.stored.codeAt(at, length);
  }

  #forget(): void {
    this.cells.clear();
    this.stored.clear();
    for (const values of [this.same, ...this.#values.values()]) values.forget();
    for (const text of NULLS) this.cells.code(text);
  }
}
