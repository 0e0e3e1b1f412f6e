/** Values of one label, read from JSON without parsing all of it. */
import { storeName } from './aggregate.ts';
import { parseLabels } from './labels.ts';

const QUOTE = 34; // "
const UNDERSCORE = 95;
/** From a capital to its small letter. */
const CASE = 32;

/**
 * The values of a label: of all names that `storeName` turns into `name`, as `app.x` and `app_x` are the same; where
 * there is none, of all names that kube-state-metrics writes alike, as it has `cost_center` for `costCenter`, and
 * `cost_center_conflict1` where an object has both.
 *
 * @param cell an object of texts in JSON, or '' for none
 * @param name in the spelling of `storeName`
 */
export function labelValues(cell: string, name: string): readonly string[] {
  if (cell === '') return NONE;
  const alike = snakeName(name);
  // Fast path: without escapes and blanks, texts are the characters between quotes.
  return (cell.includes('\\') ? undefined : scan(cell, name, alike)) ?? parsed(cell, name, alike);
}

const NONE: readonly string[] = [];

/** The spelling of kube-state-metrics (internal/store/utils.go). @param name in that of `storeName` */
export function snakeName(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

function parsed(cell: string, name: string, alike: string): string[] {
  const pairs = [...parseLabels(cell)];
  const exact = pairs.filter(([key]) => storeName(key) === name);
  const found =
    exact.length > 0 ? exact : pairs.filter(([key]) => isAlike(key, 0, key.length, alike));
  return found.map(([, value]) => value);
}

/** Undefined: not exactly of the form `{"name":"value",…}`. */
function scan(cell: string, name: string, alike: string): string[] | undefined {
  const values: string[] = [];
  const others: string[] = [];
  for (let at = 0; cell[at] === (at === 0 ? '{' : ',');) {
    const keyEnd = cell.indexOf('"', at + 2);
    const valueEnd = cell.indexOf('"', keyEnd + 3);
    if (keyEnd < 0 || valueEnd < 0 || !cell.startsWith('":"', keyEnd)) return undefined;
    if (cell.charCodeAt(at + 1) !== QUOTE) return undefined;
    const value = (): string => cell.slice(keyEnd + 3, valueEnd);
    if (isSpelled(cell, at + 2, keyEnd, name)) values.push(value());
    else if (isAlike(cell, at + 2, keyEnd, alike)) others.push(value());
    at = valueEnd + 1;
    if (at === cell.length - 1 && cell[at] === '}') return values.length > 0 ? values : others;
  }
  return undefined;
}

/** Whether the text in [start, end) is `name` in some spelling. */
function isSpelled(text: string, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false; // all spellings have the same length
  for (let i = 0; i < name.length; i++) {
    if (stored(text.charCodeAt(start + i)) !== name.charCodeAt(i)) return false;
  }
  return true;
}

const CONFLICT = /^_conflict\d+$/;

/** Whether the text in [start, end) is `name`, of `snakeName`, in that spelling, or one of several of that name. */
function isAlike(text: string, start: number, end: number, name: string): boolean {
  let at = 0;
  let before = UNDERSCORE;
  for (let i = start; i < end; i++) {
    const char = stored(text.charCodeAt(i));
    if (isUpper(char) && isLowerOrDigit(before) && name.charCodeAt(at++) !== UNDERSCORE)
      return false;
    if (at === name.length) return CONFLICT.test(text.slice(i, end));
    if ((isUpper(char) ? char + CASE : char) !== name.charCodeAt(at++)) return false;
    before = char;
  }
  return at === name.length && name !== '';
}

/** A character as `storeName` writes it. */
function stored(char: number): number {
  return isUpper(char) || isLowerOrDigit(char) ? char : UNDERSCORE;
}

function isUpper(char: number): boolean {
  return char >= 65 && char <= 90;
}

function isLowerOrDigit(char: number): boolean {
  return (char >= 97 && char <= 122) || (char >= 48 && char <= 57);
}
