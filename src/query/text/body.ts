/** Reads request bodies: bytes in, bounded values out. Used in workers. */
import { Fault } from '../fault.ts';
import { checkJsonBounds } from './json-bounds.ts';
import { repeatedName } from './repeated-name.ts';
import { readJson } from './shape.ts';
import { parseYamlPart, type YamlPart, type YamlPlace } from './yaml.ts';

/** @throws {Fault} for invalid UTF-8 @param hasMark whether a byte order mark is left out */
export function bodyText(body: Uint8Array, hint: string, hasMark: boolean = false): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: !hasMark }).decode(body);
  } catch (cause) {
    throw new Fault('the body is not UTF-8', { hint, cause });
  }
}

/** @throws {Fault} 400 for invalid JSON or too deep nesting, 413 for too many values */
export function readBoundedJson(text: string, what: string, example: string): unknown {
  checkJsonBounds(text, what);
  return readJson(text, what, example);
}

/**
 * Values of YAML or JSON, a part at a time. JSON without repeated names does not need the parser of YAML,
 * which is much slower.
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

/** Undefined: no JSON, or too much; the parser of YAML then explains why. */
function jsonIn(text: string, what: string): unknown {
  try {
    checkJsonBounds(text, what);
    const value: unknown = JSON.parse(text);
    return repeatedName(text) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
