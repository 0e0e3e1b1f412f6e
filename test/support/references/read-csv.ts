/** RFC 4180, character by character: slow and obvious. */

/** @throws when a quote stands where none may */
export function readCsv(text: string): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = readCell(text, at);
    cells.push(cell.text);
    at = cell.end + 1;
    if (text[cell.end] === ',') continue;
    if (text[cell.end] !== '\n') throw new Error(`no end of a cell at ${cell.end}`);
    lines.push(cells);
    cells = [];
  }
  return lines;
}

/** @returns what the cell says, and the place of the comma or line feed after it */
function readCell(text: string, start: number): { text: string; end: number } {
  let value = '';
  let at = start;
  if (text[at] !== '"') {
    while (at < text.length && text[at] !== ',' && text[at] !== '\n') {
      if (text[at] === '"') throw new Error(`a quote inside a bare cell at ${at}`);
      value += text[at++];
    }
    return { text: value, end: at };
  }
  for (at++; at < text.length; at++) {
    if (text[at] !== '"') value += text[at];
    else if (text[at + 1] === '"') value += text[at++];
    else return { text: value, end: at + 1 };
  }
  throw new Error(`a quoted cell from ${start} never ends`);
}
