/** The one place that decides which headers leave the process. */

export interface ReplyHead {
  readonly status: number;
  /** Lower-case names, checked values. */
  readonly headers: ReadonlyMap<string, string>;
  /** Sent as `x-request-id`. */
  readonly requestId: string;
  /** Close the connection after this answer. */
  readonly close: boolean;
}

/**
 * Engines end connections that have rested for 8 to 12 s, and reset those whose next request comes at that moment. Clients
 * of Node and Python rest no longer than an answer tells them.
 */
export const KEEP_ALIVE: string = 'timeout=7';

/** https://owasp.org/www-project-secure-headers: for answers without such headers of their own. */
const SECURITY: ReadonlyMap<string, string> = new Map([
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', "default-src 'self'; frame-ancestors 'none'"],
]);

/** Headers that the front ends write; with a second one two readers might see different bodies. */
const ENGINES_OWN: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
]);

const NAME = /^[0-9a-z-]+$/;
const VALUE = /^[\u0020-\u007e]*$/;

/** Frozen headers cannot change, so they are checked once. */
const CHECKED: WeakMap<object, ReadonlyMap<string, string>> = new WeakMap();

/** @throws when a name or value could change the shape of the answer, such as CR LF in a value */
export function checkedHeaders(
  headers: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const earlier = CHECKED.get(headers);
  if (earlier !== undefined) return earlier;
  const checked = new Map(SECURITY);
  for (const [anyCase, value] of Object.entries(headers)) {
    const name = anyCase.toLowerCase();
    if (!NAME.test(name) || ENGINES_OWN.has(name)) {
      throw new Error(`BUG: a reply may not carry the header ${JSON.stringify(anyCase)}`);
    }
    if (!VALUE.test(value)) {
      throw new Error(`BUG: header ${name} is not visible ASCII: ${JSON.stringify(value)}`);
    }
    checked.set(name, value);
  }
  if (Object.isFrozen(headers)) CHECKED.set(headers, checked);
  return checked;
}
