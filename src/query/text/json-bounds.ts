/** Limits depth and size of callers' JSON before a parser makes objects of it. */
import { Fault } from '../fault.ts';

/** Nesting of collections, in JSON and YAML. */
export const DEPTH_MAX = 64;
/** Numbers, texts, words, objects and arrays: 100 MB of objects at most. */
const VALUES_MAX = 1_000_000;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Takes time linear in the text and makes no objects. Invalid JSON is left to the parser.
 * @param what the text is, for messages: `the body`
 * @throws {Fault} for too deep nesting, and 413 for too many values
 */
export function checkJsonBounds(text: string, what: string): void {
  let [depth, values] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return;
    } else if (unit === OPEN_BRACKET || unit === OPEN_BRACE) {
      if (++depth > DEPTH_MAX) throw tooDeep(what);
      values++;
    } else if (unit === CLOSE_BRACKET || unit === CLOSE_BRACE) depth--;
    else if (unit === COMMA) values++;
    if (values > VALUES_MAX) throw tooMany(what, `${VALUES_MAX} values`);
  }
}

/** The place of the quote that ends the string at `from`; -1: there is none. */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

export function tooDeep(what: string): Fault {
  return new Fault(`${what} nests deeper than ${DEPTH_MAX} levels`, {
    hint: 'no manifest, plan or collection nests so deep',
  });
}

/** @param limit with its unit, such as `1000 aliases` */
export function tooMany(what: string, limit: string): Fault {
  return new Fault(`${what} has more than ${limit}`, {
    status: 413,
    hint: 'send it in parts: several requests, or YAML documents separated by ---',
  });
}
