/** Writes the labels of a line as `encodeLabels` of src/metrics does, with labels of the page's source. */
import { fieldBytes, writeHead } from '../../metrics/field-heads.ts';
import { encodeLabels } from '../../metrics/index.ts';
import type { KeptSeries } from './kept-series.ts';
import type { SampleLine } from './sample-line.ts';

/** A label of each series, with its name and its whole message. */
export interface FixedLabel {
  readonly name: Buffer;
  readonly message: Buffer;
}

/** Tag and length of two fields and of the message around them. */
const HEADS_BYTES_MAX = 15;

/** Made once for all metrics of a page. */
export function fixedLabels(labels: Readonly<Record<string, string>>): FixedLabel[] {
  return Object.entries(labels).map(([name, value]) => ({
    name: Buffer.from(name),
    message: Buffer.from(encodeLabels({ [name]: value })),
  }));
}

export class LabelWriter {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #fixed: readonly FixedLabel[];
  readonly #fixedBytes: number;

  /**
   * @param added labels of the source; a label of the page with such a name becomes `exported_…`
   * @param fixed the same, as `fixedLabels` makes them
   */
  constructor(
    metric: string,
    added: Readonly<Record<string, string>>,
    fixed: readonly FixedLabel[],
  ) {
    this.#labels = { ...added, __name__: metric };
    this.#fixed = [...fixed, ...fixedLabels({ __name__: metric })].sort((one, other) =>
      Buffer.compare(one.name, other.name),
    );
    this.#fixedBytes = this.#fixed.reduce((sum, { message }) => sum + message.length, 0);
  }

  /** Writes after the last series. @returns the end of the labels, -1 where they cannot be labels */
  write(bytes: Buffer, line: SampleLine, series: KeptSeries): number {
    const end = line.isPlain ? this.#copy(bytes, line, series) : -1;
    return end >= 0 ? end : this.#encode(bytes, line, series);
  }

  /** Copies names and values as they stand; -1 unless they are sorted and none is fixed. */
  #copy(bytes: Buffer, { places, labels }: SampleLine, series: KeptSeries): number {
    const first = places[0] ?? 0;
    const last = labels === 0 ? first : (places[4 * labels - 1] ?? first);
    series.room(last - first + labels * HEADS_BYTES_MAX + this.#fixedBytes);
    const to = series.bytes;
    let at = series.at;
    let fixed = 0;
    for (let i = 0; i < labels; i++) {
      const from = places[4 * i] ?? 0;
      const nameEnd = places[4 * i + 1] ?? 0;
      const [before, beforeEnd] = i === 0 ? NO_NAME : [places[4 * i - 4], places[4 * i - 3]];
      if (i > 0 && compareBytes(bytes, before ?? 0, beforeEnd ?? 0, bytes, from, nameEnd) >= 0) {
        return -1;
      }
      for (; fixed < this.#fixed.length; fixed++) {
        const { name, message } = this.#fixed[fixed] ?? NO_LABEL;
        const order = compareBytes(name, 0, name.length, bytes, from, nameEnd);
        if (order === 0) return -1;
        if (order > 0) break;
        at += message.copy(to, at);
      }
      at = writeLabel(to, at, bytes, places, i);
    }
    for (; fixed < this.#fixed.length; fixed++) {
      at += (this.#fixed[fixed] ?? NO_LABEL).message.copy(to, at);
    }
    return at;
  }

  #encode(bytes: Buffer, line: SampleLine, series: KeptSeries): number {
    const labels = new Map<string, string>();
    for (let i = 0; i < line.labels; i++) {
      let name = line.nameAt(bytes, i);
      if (labels.has(name)) return -1;
      while (Object.hasOwn(this.#labels, name)) name = `exported_${name}`;
      try {
        labels.set(name, line.valueAt(bytes, i));
      } catch {
        return -1; // no UTF-8
      }
    }
    const encoded = encodeLabels({ ...Object.fromEntries(labels), ...this.#labels });
    series.room(encoded.length);
    series.bytes.set(encoded, series.at);
    return series.at + encoded.length;
  }
}

const NO_NAME = [0, 0];
const NO_LABEL: FixedLabel = { name: Buffer.alloc(0), message: Buffer.alloc(0) };

/** @param places as SampleLine has them @returns the end of what was written */
function writeLabel(
  to: Buffer,
  start: number,
  from: Buffer,
  places: Int32Array,
  index: number,
): number {
  const nameFrom = places[4 * index] ?? 0;
  const nameEnd = places[4 * index + 1] ?? 0;
  const valueFrom = places[4 * index + 2] ?? 0;
  const valueEnd = places[4 * index + 3] ?? 0;
  const [nameBytes, valueBytes] = [nameEnd - nameFrom, valueEnd - valueFrom];
  if (valueBytes === 0) return start;
  let at = start;
  at = writeHead(to, at, 0x0a, fieldBytes(nameBytes) + fieldBytes(valueBytes));
  at = writeHead(to, at, 0x0a, nameBytes);
  at += from.copy(to, at, nameFrom, nameEnd);
  at = writeHead(to, at, 0x12, valueBytes);
  return at + from.copy(to, at, valueFrom, valueEnd);
}

/** Names are short: a loop takes less time than the call of what compares any. */
function compareBytes(
  one: Buffer,
  oneFrom: number,
  oneEnd: number,
  other: Buffer,
  otherFrom: number,
  otherEnd: number,
): number {
  const [oneBytes, otherBytes] = [oneEnd - oneFrom, otherEnd - otherFrom];
  const shared = Math.min(oneBytes, otherBytes);
  for (let i = 0; i < shared; i++) {
    const difference = (one[oneFrom + i] ?? 0) - (other[otherFrom + i] ?? 0);
    if (difference !== 0) return difference;
  }
  return oneBytes - otherBytes;
}
