/** Bodies of callers: bytes in, bounded values out. They are read in workers. */
import { Fault } from './fault.ts';
import { checkJsonBounds } from './json-bounds.ts';
import { repeatedName } from './repeated-name.ts';
import { readJson } from './shape.ts';
import { parseYamlPart, type YamlPart, type YamlPlace } from './yaml.ts';

/** @throws {Fault} for what is no UTF-8 @param hasMark whether a byte order mark is left out */
export function bodyText(body: Uint8Array, hint: string, hasMark: boolean = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: !hasMark }).decode(body);
  } catch (cause) {
    throw new Fault('the body is not UTF-8', { hint, cause });
  }
}

/** @throws {Fault} 400 for what is no JSON or too deep, 413 for what is too much */
export function readBoundedJson(text: string, what: string, example: string): unknown {
  checkJsonBounds(text, what);
  return readJson(text, what, example);
}

/**
 * Values of YAML or JSON, a part at a time. JSON that says nothing twice needs no parser of YAML, which
 * takes fifty times as long.
 * @throws {Fault} naming line and column, or the limit that the text exceeds
 */
export function readDocuments(
  text: string,
  place: YamlPlace,
  what: string,
  example: string,
): YamlPart {
  const isJson = place.offset === 0 && /^\s*[[{]/.test(text.slice(0, 1024));
  const value = isJson ? jsonIn(text, what) : undefined;
  if (value !== undefined) return { values: [value], next: null };
  return parseYamlPart(text, place, what, example);
}

/** Undefined: it is none, or too much; of that the parser of YAML tells. */
function jsonIn(text: string, what: string): unknown {
  try {
    checkJsonBounds(text, what);
    const value: unknown = JSON.parse(text);
    return repeatedName(text) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
