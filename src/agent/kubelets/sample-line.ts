/**
 * One line of Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats):
 *
 *   container_cpu_usage_seconds_total{container="app",pod="web-0"} 12.5 1700000000000
 *
 * Read as places in the line's bytes, since most lines are copied as they are.
 */

/** A pod's series have ten labels; Prometheus itself has no limit. */
const LABELS_MAX = 64;
const [SPACE, TAB, QUOTE, BACKSLASH, COMMA, EQUALS, HASH] = [0x20, 0x09, 0x22, 0x5c, 0x2c, 0x3d, 0x23]; // prettier-ignore
const [BRACE, BRACE_END] = [0x7b, 0x7d];
/** Go's strconv.ParseFloat takes these, without its hexadecimal forms. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NAMED: ReadonlyMap<string, number> = new Map([
  ['nan', NaN],
  ...['inf', 'infinity'].flatMap((name) => [
    [name, Infinity] as const,
    [`+${name}`, Infinity] as const,
    [`-${name}`, -Infinity] as const,
  ]),
]);
const TIMESTAMP = /^-?\d{1,16}$/;

export class SampleLine {
  /** Four places a label: name and value, each from and to. */
  readonly places: Int32Array = new Int32Array(4 * LABELS_MAX);
  labels: number = 0;
  /** Whether values are as they stand: without escapes, and of ASCII alone. */
  isPlain: boolean = true;
  value: number = NaN;
  /** NaN without one. */
  timeMs: number = NaN;

  /** @param from the end of the metric's name @returns whether the line is well formed */
  read(bytes: Buffer, from: number, to: number): boolean {
    this.labels = 0;
    this.isPlain = true;
    let at = blanks(bytes, from, to);
    if (bytes[at] === BRACE && at < to) {
      at = this.#readLabels(bytes, at + 1, to);
      if (at < 0) return false;
    } else if (at === from) return false;
    return this.#readNumbers(bytes, at, to);
  }

  /** The value of a label, '' without it. */
  text(bytes: Buffer, name: string): string {
    for (let i = 0; i < this.labels; i++) {
      if (this.nameAt(bytes, i) === name) return this.valueAt(bytes, i);
    }
    return '';
  }

  nameAt(bytes: Buffer, index: number): string {
    return bytes.toString('latin1', this.places[4 * index], this.places[4 * index + 1]);
  }

  valueAt(bytes: Buffer, index: number): string {
    const [from, to] = [this.places[4 * index + 2] ?? 0, this.places[4 * index + 3] ?? 0];
    if (this.isPlain) return bytes.toString('latin1', from, to);
    return UTF8.decode(bytes.subarray(from, to)).replaceAll(/\\(.)/g, (_, escaped: string) =>
      escaped === 'n' ? '\n' : escaped,
    );
  }

  /** @returns the place after the closing brace, -1 where they are not well formed */
  #readLabels(bytes: Buffer, from: number, to: number): number {
    let at = blanks(bytes, from, to);
    while (at < to && bytes[at] !== BRACE_END) {
      if (this.labels === LABELS_MAX) return -1;
      const nameEnd = nameFrom(bytes, at, to);
      const equals = blanks(bytes, nameEnd, to);
      if (nameEnd === at || bytes[equals] !== EQUALS) return -1;
      const quote = blanks(bytes, equals + 1, to);
      if (bytes[quote] !== QUOTE || quote >= to) return -1;
      const end = this.#valueEnd(bytes, quote + 1, to);
      if (end < 0) return -1;
      this.places.set([at, nameEnd, quote + 1, end], 4 * this.labels++);
      at = blanks(bytes, end + 1, to);
      if (bytes[at] === COMMA) at = blanks(bytes, at + 1, to);
      else if (bytes[at] !== BRACE_END) return -1;
    }
    return at < to ? at + 1 : -1;
  }

  #valueEnd(bytes: Buffer, from: number, to: number): number {
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) return at;
      if (byte < 0x80 && byte !== BACKSLASH) continue;
      this.isPlain = false;
      if (byte !== BACKSLASH) continue;
      const escaped = bytes[++at];
      if (escaped !== BACKSLASH && escaped !== QUOTE && escaped !== LOWER_N) return -1;
    }
    return -1;
  }

  #readNumbers(bytes: Buffer, from: number, to: number): boolean {
    const start = blanks(bytes, from, to);
    const end = wordEnd(bytes, start, to);
    const value = bytes.toString('latin1', start, end);
    this.value = NUMBER.test(value) ? Number(value) : (NAMED.get(value.toLowerCase()) ?? NaN);
    if (this.value !== this.value && value.toLowerCase() !== 'nan') return false;
    const next = blanks(bytes, end, to);
    this.timeMs = NaN;
    // OpenMetrics has an exemplar after `#`.
    if (next >= to || bytes[next] === HASH) return true;
    const timeEnd = wordEnd(bytes, next, to);
    const time = bytes.toString('latin1', next, timeEnd);
    if (!TIMESTAMP.test(time)) return false;
    this.timeMs = Number(time);
    const rest = blanks(bytes, timeEnd, to);
    return rest >= to || bytes[rest] === HASH;
  }
}

const LOWER_N = 0x6e;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function blanks(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
}

function wordEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== SPACE && bytes[at] !== TAB) at++;
  return at;
}

/** The end of a label's name: letters, digits and underscores, the first no digit. */
function nameFrom(bytes: Buffer, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
    const isDigit = byte >= 0x30 && byte <= 0x39 && at > from;
    if (!isLetter && !isDigit && byte !== 0x5f) break;
  }
  return at;
}
