/** Requests of remote write of both versions, uncompressed, field by field as their messages are defined. */
import { lengthDelimited, uvarint } from './samples-encoding.ts';

export interface WrittenSample {
  readonly timeMs: number;
  readonly valueBits: bigint;
}

export interface WrittenSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly samples: readonly WrittenSample[];
  readonly histograms?: number;
  readonly exemplars?: number;
  /** Samples come before labels, which no sender does. */
  readonly areLabelsLast?: boolean;
}

/** prometheus.WriteRequest, with metadata that is passed over. */
export function writeBody(series: readonly WrittenSeries[]): Buffer {
  const metadata = lengthDelimited(3, lengthDelimited(2, Buffer.from('metric')));
  return Buffer.concat([
    ...series.map((one) => {
      const labels = one.labels.map(([name, value]) =>
        lengthDelimited(1, Buffer.concat([text(1, name), text(2, value)])),
      );
      const others = [
        ...one.samples.map(sample),
        ...Array.from({ length: one.exemplars ?? 0 }, () => lengthDelimited(3, double(2, 1n))),
        ...Array.from({ length: one.histograms ?? 0 }, () => lengthDelimited(4, double(3, 1n))),
      ];
      return lengthDelimited(1, inOrder(labels, others, one));
    }),
    metadata,
  ]);
}

/** io.prometheus.write.v2.Request, with the start of each sample and metadata of each series. */
export function writeBodyV2(series: readonly WrittenSeries[]): Buffer {
  const symbols = ['', ...new Set(series.flatMap(({ labels }) => labels.flat()))];
  const refs = new Map(symbols.map((symbol, index) => [symbol, index]));
  return Buffer.concat([
    ...symbols.map((symbol) => lengthDelimited(4, Buffer.from(symbol))),
    ...series.map((one) => {
      const packed = one.labels.flat().map((symbol) => uvarint(refs.get(symbol) ?? 0));
      const others = [
        ...one.samples.map(sample),
        ...Array.from({ length: one.histograms ?? 0 }, () => lengthDelimited(3, double(3, 1n))),
        ...Array.from({ length: one.exemplars ?? 0 }, () => lengthDelimited(4, double(2, 1n))),
        lengthDelimited(5, Buffer.concat([uvarint(8), uvarint(2)])),
      ];
      return lengthDelimited(5, inOrder([lengthDelimited(1, Buffer.concat(packed))], others, one));
    }),
  ]);
}

function inOrder(
  labels: readonly Buffer[],
  others: readonly Buffer[],
  { areLabelsLast = false }: WrittenSeries,
): Buffer {
  return Buffer.concat(areLabelsLast ? [...others, ...labels] : [...labels, ...others]);
}

function text(field: number, value: string): Buffer {
  return lengthDelimited(field, Buffer.from(value));
}

function double(field: number, bits: bigint): Buffer {
  const value = Buffer.alloc(9, (field << 3) | 1);
  value.writeBigUInt64LE(bits, 1);
  return value;
}

function sample({ timeMs, valueBits }: WrittenSample): Buffer {
  const time = uvarint(BigInt.asUintN(64, BigInt(timeMs)));
  return lengthDelimited(2, Buffer.concat([double(1, valueBits), uvarint(16), time]));
}
