/** Requests of remote write, 1.0 and 2.0, and the sending of them. */
import { compress } from 'snappyjs';
import {
  encodeLabels,
  lengthDelimited,
  uvarint,
  valueBits,
  type TestSeries,
} from './samples-encoding.ts';

const TYPE = 'application/x-protobuf';
export const WRITE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': TYPE,
  'content-encoding': 'snappy',
};

/** A prometheus.WriteRequest, compressed. */
export function writeRequest(series: readonly TestSeries[]): Uint8Array {
  const all = series.map((one) =>
    lengthDelimited(1, Buffer.concat([encodeLabels(one.labels), ...samplesOf(one)])),
  );
  return compress(Buffer.concat(all));
}

/** An io.prometheus.write.v2.Request, compressed. */
export function writeRequestV2(series: readonly TestSeries[]): Uint8Array {
  const texts = ['', ...new Set(series.flatMap(({ labels }) => labels.flat()))];
  const refs = new Map(texts.map((text, at) => [text, at]));
  const symbols = texts.map((text) => lengthDelimited(4, Buffer.from(text)));
  const all = series.map((one) => {
    const labels = one.labels.flat().map((text) => uvarint(refs.get(text) ?? 0));
    return lengthDelimited(
      5,
      Buffer.concat([lengthDelimited(1, Buffer.concat(labels)), ...samplesOf(one)]),
    );
  });
  return compress(Buffer.concat([...symbols, ...all]));
}

/** Both messages have samples as field 2: value, then time. */
function samplesOf({ timestampsMs, values }: TestSeries): Buffer[] {
  return timestampsMs.map((ms, i) => {
    const bits = Buffer.alloc(8);
    bits.writeBigUInt64LE(valueBits(values[i] ?? 0));
    const time = Buffer.concat([Buffer.from([0x10]), uvarint(ms)]);
    return lengthDelimited(2, Buffer.concat([Buffer.from([0x09]), bits, time]));
  });
}

export interface Written {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** @param headers beside those of every request, or in their place */
export async function write(
  url: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Written> {
  const reply = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    headers: { ...WRITE_HEADERS, ...headers },
    body,
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

export const TYPE_V2: string = `${TYPE};proto=io.prometheus.write.v2.Request`;
