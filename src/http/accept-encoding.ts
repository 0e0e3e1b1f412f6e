/** Reads which content coding a client prefers. */

/**
 * Whether gzip is accepted, and preferred no less than no coding.
 * https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding
 */
export function acceptsGzip(header: string): boolean {
  if (header === '') return false;
  let accepts = KNOWN.get(header);
  if (accepts === undefined) {
    if (header.length > KNOWN_CHARACTERS) return isGzipPreferred(header);
    if (KNOWN.size >= KNOWN_MAX) KNOWN.clear();
    KNOWN.set(header, (accepts = isGzipPreferred(header)));
  }
  return accepts;
}

/** Clients send the same few headers with each request. */
const KNOWN: Map<string, boolean> = new Map();
const KNOWN_MAX = 64;
const KNOWN_CHARACTERS = 256;

function isGzipPreferred(header: string): boolean {
  const weights = new Map(header.toLowerCase().split(',').map(readCoding));
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}

function readCoding(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((part) => part.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
