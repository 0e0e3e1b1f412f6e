/** The text of a query as names and values. */
import { Fault, refuse } from '../../query/index.ts';

/** Half of the 64 KiB that heads may have. */
const QUERY_MAX_BYTES = 32 * 1024;

/**
 * Parses a query strictly: mistakes that https://url.spec.whatwg.org/#urlencoded-parsing repairs silently
 * are refused here.
 * @param raw without `?`, still percent-encoded
 * @throws Fault 414 above 32 KiB; 400 for damaged percent-encoding, `%00` and invalid UTF-8
 */
export function readPairs(raw: string): ReadonlyMap<string, readonly string[]> {
  const queryBytes = Buffer.byteLength(raw);
  if (queryBytes > QUERY_MAX_BYTES) {
    throw new Fault(`the query has ${queryBytes} bytes, at most ${QUERY_MAX_BYTES} are accepted`, {
      status: 414,
      hint: 'shorten its lists, or ask in several requests',
    });
  }
  const values = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    if (pair !== '') addPair(values, pair);
  }
  return values;
}

function addPair(values: Map<string, string[]>, pair: string): void {
  const equals = pair.indexOf('=');
  const rawName = equals < 0 ? pair : pair.slice(0, equals);
  const name = decode(rawName, rawName);
  const value = equals < 0 ? '' : decode(pair.slice(equals + 1), name);
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, [value]);
  else earlier.push(value);
}

function decode(raw: string, parameter: string): string {
  const spaced = raw.replaceAll('+', ' ');
  // U+FFFD in the raw text replaces bytes that were not UTF-8.
  if (spaced.includes('\uFFFD')) throw damaged(parameter, raw);
  const text = spaced.includes('%') ? percentDecode(spaced, parameter) : spaced;
  if (text.includes('\0')) throw damaged(parameter, raw);
  return text;
}

function percentDecode(text: string, parameter: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw damaged(parameter, text);
  }
}

function damaged(parameter: string, raw: string): Fault {
  return refuse(parameter, raw, 'percent-encoded UTF-8 without %00', '100%25');
}
