/** Rows of a CSV file (RFC 4180), strictly: what is not CSV is refused, not guessed at. */
import { Fault } from '../query/index.ts';

/** A cell, quoted or bare, and what ends it. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/**
 * Lines may end with a line feed alone, the last without any. Rows need not be of one length.
 * @throws {Fault} naming the file, the row from 1 and the column from 1
 */
export function readRows(text: string, path: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  for (let at = 0; at < text.length || cells.length > 0; at = CELL.lastIndex) {
    CELL.lastIndex = at;
    const match = CELL.exec(text);
    if (!match) throw damaged(path, rows.length + 1, cells.length + 1, text.slice(at, at + 40));
    const [, quoted, bare = '', end] = match;
    cells.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ',') continue;
    rows.push(cells);
    cells = [];
  }
  return rows;
}

function damaged(path: string, row: number, column: number, from: string): Fault {
  return new Fault(`${path}, row ${row}, column ${column}: ${JSON.stringify(from)} is not a cell`, {
    hint: 'a cell with commas, quotes or line ends stands in quotes, quotes in it twice: "a ""b"""',
  });
}
