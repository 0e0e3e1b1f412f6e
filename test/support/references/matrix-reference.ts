/** What a reader of matrices must come to, from JSON.parse and Number. */
import { encodeLabels } from '../../../src/metrics/samples.ts';

export interface PlainSeries {
  /** prompb, in hexadecimal. */
  readonly labels: string;
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
  readonly nonFinite: number;
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const NAMES: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Inf: Infinity,
  '+Inf': Infinity,
  '-Inf': -Infinity,
  Infinity,
  '+Infinity': Infinity,
  '-Infinity': -Infinity,
};

/**
 * The series of an array that is written behind its opening bracket.
 * @throws where that is no JSON, or not series
 */
export function plainMatrix(text: string): PlainSeries[] {
  const result = JSON.parse(`[${text}`) as unknown[];
  return result.filter((each) => each !== null).map(plainSeries);
}

function plainSeries(series: unknown): PlainSeries {
  const { metric, values } = plainObject(series);
  const pairs = listOf(values ?? []).map(plainPair);
  const numbers = pairs.map(([, value]) => value);
  return {
    labels: labelBytes(plainObject(metric ?? {})),
    timesMs: pairs.map(([ms]) => ms),
    values: numbers,
    nonFinite: numbers.filter((value) => !Number.isFinite(value)).length,
  };
}

function plainPair(pair: unknown): [ms: number, value: number] {
  const [seconds, value, ...more] = listOf(pair);
  // Of -0 there is none: neither do clocks show it, nor does anything depend on it.
  const ms = typeof seconds === 'number' ? Math.round(seconds * 1000) + 0 : Number.NaN;
  if (!Number.isFinite(ms) || more.length > 0) throw new Error('not a pair');
  if (typeof value === 'number') return [ms, value];
  if (typeof value !== 'string') throw new Error('not a value');
  if (Object.hasOwn(NAMES, value)) return [ms, NAMES[value] ?? 0];
  if (!DECIMAL.test(value)) throw new Error('not a number');
  return [ms, Number(value)];
}

/** In order of the names' bytes. */
function labelBytes(labels: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(labels).map(([name, value]) => {
    if (typeof value !== 'string') throw new Error('not a label');
    const text = Buffer.from(value).toString();
    return { name: Buffer.from(name), label: encodeLabels({ [name]: text }) };
  });
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  return Buffer.concat(entries.map(({ label }) => label)).toString('hex');
}

function plainObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('not an object');
  return value as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error('not an array');
  return value;
}
