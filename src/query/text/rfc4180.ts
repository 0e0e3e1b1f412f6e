/** Rows of a CSV file by strict RFC 4180: invalid CSV is refused, not guessed at. */
import { Fault } from '../fault.ts';

/** A cell, quoted or bare, and the separator or line end behind it. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;
const QUOTE_OR_END = /["\n]/g;
/** A quote that is never closed would hold the whole file in memory. */
const ROW_LENGTH_MAX = 16 * 2 ** 20;

/**
 * Lines may end with a line feed alone, the last without any. Rows need not be of one length.
 * @param path of the file, as errors name it
 * @throws {Fault} naming the file, the row from 1 and the column from 1
 */
export function readRows(text: string, path: string): string[][] {
  const reader = new RowReader(path);
  return [...reader.push(text), ...reader.finish()];
}

/** The same for a file in pieces: holds at most one row of it. */
export class RowReader {
  readonly #path: string;
  #rows = 0;
  /** The text after the last complete row. */
  #rest = '';
  /** The place in the rest where the search for an end continues, and whether it is within quotes. */
  #looked = 0;
  #isQuoted = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** @returns the rows that are complete now. @throws {Fault} */
  push(text: string): string[][] {
    const all = this.#rest + text;
    let end = 0;
    QUOTE_OR_END.lastIndex = this.#looked;
    for (let match = QUOTE_OR_END.exec(all); match; match = QUOTE_OR_END.exec(all)) {
      if (match[0] === '"') this.#isQuoted = !this.#isQuoted;
      else if (!this.#isQuoted) end = match.index + 1;
    }
    this.#rest = all.slice(end);
    this.#looked = this.#rest.length;
    const rows = this.#parse(all.slice(0, end));
    if (this.#rest.length > ROW_LENGTH_MAX) {
      throw new Fault(`${this.#path}, row ${this.#rows + 1}: it is longer than any row can be`, {
        hint: QUOTES_HINT,
      });
    }
    return rows;
  }

  /** @returns the last row, if it has no line end. @throws {Fault} */
  finish(): string[][] {
    return this.#parse(this.#rest);
  }

  #parse(text: string): string[][] {
    const rows: string[][] = [];
    let cells: string[] = [];
    for (let at = 0; at < text.length || cells.length > 0; at = CELL.lastIndex) {
      CELL.lastIndex = at;
      const match = CELL.exec(text);
      if (!match) throw this.#damaged(cells.length + 1, text.slice(at, at + 40));
      const [, quoted, bare = '', end] = match;
      cells.push(quoted?.replaceAll('""', '"') ?? bare);
      if (end === ',') continue;
      this.#rows++;
      rows.push(cells);
      cells = [];
    }
    return rows;
  }

  #damaged(column: number, from: string): Fault {
    const place = `${this.#path}, row ${this.#rows + 1}, column ${column}`;
    return new Fault(`${place}: ${JSON.stringify(from)} is not a cell`, { hint: QUOTES_HINT });
  }
}

const QUOTES_HINT =
  'a cell with commas, quotes or line ends stands in quotes, quotes in it twice: "a ""b"""';
