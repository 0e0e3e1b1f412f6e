/**
 * Checks a request's head, for both engines: a head that two readers could understand differently (the
 * root of request smuggling, RFC 9112 section 11.2) is not answered at all.
 */

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;
const DECIMAL = /^[0-9]{1,15}$/;
const AT_MOST_ONCE: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding']);

/** A longer head is refused with 431. */
export const HEAD_BYTES_MAX: number = 64 * 1024;
/** Engines read up to this, so that the refusal is worded here; longer heads they refuse themselves. */
export const HEAD_BYTES_READ: number = 128 * 1024;

/** Values by lower-case name, those of repeated names joined by `, `. */
export interface HeadFields {
  readonly headers: ReadonlyMap<string, string>;
  /** Names that came more than once. */
  readonly repeated: ReadonlySet<string>;
}

export interface RequestHead extends HeadFields {
  readonly method: string;
  /** As it came, without the query. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/**
 * @param raw name, value, name, value, …
 * @returns undefined when the connection must be closed
 */
export function readHeaders(raw: readonly string[]): HeadFields | undefined {
  const headers = new Map<string, string>();
  const repeated = new Set<string>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const value = raw[at + 1] ?? '';
    const earlier = headers.get(name);
    if (!TOKEN.test(name) || CONTROL.test(value)) return undefined;
    if (earlier !== undefined && AT_MOST_ONCE.has(name)) return undefined;
    if (earlier !== undefined) repeated.add(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return isFramedOnce(headers) ? { headers, repeated } : undefined;
}

function isFramedOnce(headers: ReadonlyMap<string, string>): boolean {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined) return length === undefined && coding.toLowerCase() === 'chunked';
  return length === undefined || DECIMAL.test(length);
}

/** Bytes of the head as it came, spaces around values not counted. */
export function headBytes({ method, path, query, headers }: RequestHead): number {
  let bytes = method.length + path.length + query.length + ' ? HTTP/1.1\r\n\r\n'.length;
  for (const [name, value] of headers) bytes += name.length + value.length + ': \r\n'.length;
  return bytes;
}

/** Bytes the body will have: 0 for none, Infinity for chunks of unknown number. */
export function declaredBodyBytes(headers: ReadonlyMap<string, string>): number {
  if (headers.has('transfer-encoding')) return Infinity;
  return Number(headers.get('content-length') ?? 0);
}

/** Damaged encoding and encoded slashes are left unchanged: no route has such a path. */
export function decodePath(path: string): string {
  if (!path.includes('%') || /%(2f|5c|00)/i.test(path)) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
