/** Values of one label, read from JSON without parsing all of it. */
import { storeName } from './aggregate.ts';
import { parseLabels } from './labels.ts';

const QUOTE = 34; // "
const UNDERSCORE = 95;

/**
 * The values of all names that `storeName` turns into `name`: `app.x` and `app_x` are the same.
 *
 * @param cell an object of texts in JSON, or '' for none
 * @param name in the spelling of `storeName`
 */
export function labelValues(cell: string, name: string): readonly string[] {
  // Fast path: without escapes and blanks, texts are the characters between quotes.
  return (cell.includes('\\') ? undefined : scan(cell, name)) ?? parsed(cell, name);
}

function parsed(cell: string, name: string): string[] {
  const pairs = [...parseLabels(cell)];
  return pairs.filter(([key]) => storeName(key) === name).map(([, value]) => value);
}

/** Undefined: not exactly of the form `{"name":"value",…}`. */
function scan(cell: string, name: string): string[] | undefined {
  const values: string[] = [];
  if (cell === '') return values;
  for (let at = 0; cell[at] === (at === 0 ? '{' : ',');) {
    const keyEnd = cell.indexOf('"', at + 2);
    const valueEnd = cell.indexOf('"', keyEnd + 3);
    if (keyEnd < 0 || valueEnd < 0 || !cell.startsWith('":"', keyEnd)) return undefined;
    if (cell.charCodeAt(at + 1) !== QUOTE) return undefined;
    if (isSpelled(cell, at + 2, keyEnd, name)) values.push(cell.slice(keyEnd + 3, valueEnd));
    at = valueEnd + 1;
    if (at === cell.length - 1 && cell[at] === '}') return values;
  }
  return undefined;
}

/** Whether the text in [start, end) is `name` in some spelling. */
function isSpelled(text: string, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false; // all spellings have the same length
  for (let i = 0; i < name.length; i++) {
    const char = text.charCodeAt(start + i);
    const wanted = name.charCodeAt(i);
    if (char !== wanted && (wanted !== UNDERSCORE || isUnchanged(char))) return false;
  }
  return true;
}

/** Letters and digits, which storeName leaves as they are. */
function isUnchanged(char: number): boolean {
  return (char >= 48 && char <= 57) || (char >= 65 && char <= 90) || (char >= 97 && char <= 122);
}
