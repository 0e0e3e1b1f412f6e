/** Remote-write messages as their texts, read with the protobuf package: `{"__name__":"up"} 1 1700000000000`. */
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { labelsIn } from './sample-texts.ts';

const STALE = 0x7ff0000000000002n;

export interface WrittenSeries {
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly timeMs: number;
  readonly value: number | 'stale';
  /** In 2.0: 1 for a counter, 2 for a gauge. */
  readonly type?: number;
}

/** prometheus.WriteRequest. */
export function seriesOfOne(message: Uint8Array): WrittenSeries[] {
  return fieldsIn(message).map(([number, series]) => {
    if (number !== 1) throw new Error(`field ${number}`);
    const labels: Uint8Array[] = [];
    let sample = { timeMs: NaN, value: NaN as number | 'stale' };
    for (const [field, bytes] of fieldsIn(series)) {
      if (field === 1) labels.push(field1(bytes));
      else sample = sampleIn(bytes);
    }
    return { labels: labels.flatMap(labelsIn), ...sample };
  });
}

/** io.prometheus.write.v2.Request. */
export function seriesOfTwo(message: Uint8Array): WrittenSeries[] {
  const fields = fieldsIn(message);
  const symbols = fields.filter(([field]) => field === 4).map(([, bytes]) => textOf(bytes));
  if (symbols[0] !== '' || new Set(symbols).size !== symbols.length) throw new Error('symbols');
  return fields
    .filter(([field]) => field !== 4)
    .map(([number, series]) => {
      if (number !== 5) throw new Error(`field ${number}`);
      const parts = new Map(fieldsIn(series));
      const refs = new BinaryReader(parts.get(1) ?? new Uint8Array());
      const texts: string[] = [];
      while (refs.pos < refs.len) texts.push(symbols[refs.uint32()] ?? 'no symbol');
      const labels = texts.flatMap((text, i) =>
        i % 2 ? [[texts[i - 1] ?? '', text] as const] : [],
      );
      const type = parts.get(5)?.[1] ?? NaN;
      return { labels, ...sampleIn(parts.get(2) ?? new Uint8Array()), type };
    });
}

function fieldsIn(message: Uint8Array): [field: number, bytes: Uint8Array][] {
  const reader = new BinaryReader(message);
  const fields: [number, Uint8Array][] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type !== WireType.LengthDelimited) throw new Error(`wire type ${type}`);
    fields.push([field, reader.bytes()]);
  }
  return fields;
}

/** A label with its tag and length before it, as labelsIn reads them. */
function field1(bytes: Uint8Array): Uint8Array {
  const length: number[] = [];
  let rest = bytes.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return Uint8Array.from([0x0a, ...length, rest, ...bytes]);
}

function sampleIn(bytes: Uint8Array): { timeMs: number; value: number | 'stale' } {
  const reader = new BinaryReader(bytes);
  reader.tag();
  const at = reader.pos;
  const value = reader.double();
  const bits = new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true);
  reader.tag();
  return { timeMs: Number(reader.int64()), value: bits === STALE ? 'stale' : value };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
