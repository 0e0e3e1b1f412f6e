/**
 * The series of one object with their values, packed into one piece of memory:
 *
 *     ┌──────────────────┬────────────────┬─────────────────────────────┐
 *     │ values, f64 each │ ends, f64 each │ labels of each, one by one  │
 *     └──────────────────┴────────────────┴─────────────────────────────┘
 *
 * Thousands of pods with a dozen series each are held so: as objects they would take ten times as much.
 */
import { compileMatchers, encodeLabels, FACTS, factReads, GAUGES } from '../../metrics/index.ts';
import type { FactName, Labels, Matcher } from '../../metrics/index.ts';
import type { LabelBytes } from '../series.ts';

export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A test of the labels that are read of a metric; metrics that nothing reads have none. */
const READ: ReadonlyMap<string, (labels: Labels) => boolean> = readSeries();

const NUMBER_BYTES = 8;
/** After two heads of messages, `__name__` and one more head. */
const NAME_AT = 14;

export class PackedSeries {
  /** Values, then ends: one view, as a second one would take as much memory as a series. */
  readonly #numbers: Float64Array;

  /** Series that nothing reads are left out. */
  constructor(all: readonly Series[]) {
    const series = all.filter(({ metric, labels }) => READ.get(metric)?.(labels) === true);
    const texts = series.map(({ metric, labels }) => encodeLabels({ __name__: metric, ...labels }));
    const total = texts.reduce((bytes, text) => bytes + text.length, 0);
    const bytesAt = 2 * NUMBER_BYTES * series.length;
    const memory = new ArrayBuffer(bytesAt + total);
    const bytes = new Uint8Array(memory, bytesAt);
    this.#numbers = new Float64Array(memory, 0, 2 * series.length);
    let end = 0;
    texts.forEach((text, i) => {
      bytes.set(text, end);
      end += text.length;
      this.#numbers[i] = series[i]?.value ?? NaN;
      this.#numbers[series.length + i] = end;
    });
  }

  get size(): number {
    return this.#numbers.length / 2;
  }

  get bytes(): number {
    return this.#numbers.buffer.byteLength;
  }

  value(index: number): number {
    return this.#numbers[index] ?? NaN;
  }

  /** A view on this memory. */
  labels(index: number): LabelBytes {
    const { size } = this;
    const start = index === 0 ? 0 : (this.#numbers[size + index - 1] ?? NaN);
    const length = (this.#numbers[size + index] ?? NaN) - start;
    return new Uint8Array(this.#numbers.buffer, 2 * NUMBER_BYTES * size + start, length);
  }

  isSame(other: PackedSeries): boolean {
    return Buffer.from(this.#numbers.buffer).equals(Buffer.from(other.#numbers.buffer));
  }

  /** The places of the series, by their labels. */
  places(): Map<string, number> {
    return new Map(Array.from({ length: this.size }, (_, i) => [keyOf(this.labels(i)), i]));
  }
}

/** The bytes as characters, as keys of maps. */
export function keyOf(labels: LabelBytes): string {
  return Buffer.from(labels.buffer, labels.byteOffset, labels.length).toString('latin1');
}

/** `__name__` is the first of the labels, and shorter than 128 bytes with its name. */
export function metricOf(labels: LabelBytes): string {
  const [at, length] = [NAME_AT, labels[NAME_AT - 1] ?? 0];
  return Buffer.from(labels.buffer, labels.byteOffset + at, length).toString('latin1');
}

function readSeries(): Map<string, (labels: Labels) => boolean> {
  const reads = [
    ...(Object.keys(FACTS) as FactName[]).flatMap(factReads),
    ...Object.values(GAUGES).map(({ selection }) => selection),
  ];
  const byMetric = new Map<string, (readonly Matcher[])[]>();
  for (const { metric, matchers } of reads)
    byMetric.set(metric, [...(byMetric.get(metric) ?? []), matchers]);
  return new Map(
    [...byMetric].map(([metric, all]) => {
      const tests = all.map((matchers) => compileMatchers(matchers));
      return [metric, (labels: Labels) => tests.some((matches) => matches(labels))];
    }),
  );
}
