/** The parser's message for a mistake in YAML, with line, column and the text there. */

export interface Mistake {
  readonly message: string;
  /** From, to, in UTF-16 code units; -1: the mistake has no place. */
  readonly pos: readonly [from: number, to: number];
}

const SHOWN_MAX = 80;

/**
 * Finds line and column here, as the parser knows them only if it stores all line starts and reads the
 * whole text at once.
 * @param offset of the part in `text`, from which positions count
 */
export function placedMistake(text: string, { message, pos }: Mistake, offset: number): string {
  if (pos[0] === -1) return message;
  const from = placeOf(text, pos[0] + offset);
  const to = placeOf(text, pos[1] + offset);
  const placed = `${message} at line ${from.line}, column ${from.column}`;
  let column = from.column - 1;
  let shown = lineAt(text, from.start).replace(/[\n\r]+$/, '');
  if (column >= 60 && shown.length > SHOWN_MAX) {
    const trimmed = Math.min(column - 39, shown.length - (SHOWN_MAX - 1));
    shown = `…${shown.slice(trimmed)}`;
    column -= trimmed - 1;
  }
  if (shown.length > SHOWN_MAX) shown = `${shown.slice(0, SHOWN_MAX - 1)}…`;
  if (from.line > 1 && /^ *$/.test(shown.slice(0, column))) {
    const start = from.start < 2 ? 0 : text.lastIndexOf('\n', from.start - 2) + 1;
    const before = lineAt(text, start);
    shown = `${before.length > SHOWN_MAX ? `${before.slice(0, SHOWN_MAX - 1)}…\n` : before}${shown}`;
  }
  if (!/[^ ]/.test(shown)) return placed;
  const isOneLine = to.line === from.line && to.column > from.column;
  const marks = isOneLine ? Math.max(1, Math.min(to.column - from.column, SHOWN_MAX - column)) : 1;
  return `${placed}:\n\n${shown}\n${' '.repeat(column)}${'^'.repeat(marks)}\n`;
}

interface Place {
  /** Counted from 1, like the column. */
  readonly line: number;
  readonly column: number;
  /** The place of the line's start. */
  readonly start: number;
}

function placeOf(text: string, at: number): Place {
  let [line, start] = [1, 0];
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: at - start + 1, start };
}

/** The line, with its end. */
function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.slice(start) : text.slice(start, end + 1);
}
