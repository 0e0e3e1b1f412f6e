/**
 * Scripted stores that hold given series: one answers remote reads, one PromQL. Both know matchers
 * and send of a series that matches only samples within what was asked for.
 */
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { uncompress } from 'snappyjs';
import { compileMatchers } from '../../../src/metrics/matching.ts';
import type { Matcher, TimeRange } from '../../../src/metrics/index.ts';
import { encodeChunked } from './chunked-frames.ts';
import { matrix } from './reader-replies.ts';
import { answering, streaming, type Reply } from './scripted-store.ts';
import type { TestSeries } from './samples-encoding.ts';

interface Asked extends TimeRange {
  readonly matchers: readonly Matcher[];
}

/**
 * Streamed remote read, as Prometheus has it.
 * @param series those that may match in the range
 */
export function remoteReads(series: (range: TimeRange) => readonly TestSeries[]): Reply {
  return (response, request) => {
    if (request.path !== '/api/v1/read') return answering(404, '')(response, request);
    const asked = readRequest(uncompress(request.body));
    const frames = matching(series(asked), asked).map((one) => frameOf(one, asked));
    return streaming(...frames)(response, request);
  };
}

/** Instant queries on range selectors; `more` stands beside the data. */
export function promQueries(series: () => readonly TestSeries[], more: object = {}): Reply {
  return (response, request) => {
    const parameters = new URLSearchParams(request.body.toString());
    const found = select(series(), promRequest(parameters));
    const result = found.map(({ labels, timestampsMs, values }) => ({
      metric: Object.fromEntries(labels),
      values: timestampsMs.map((ms, i) => [ms / 1000, String(values[i])]),
    }));
    return answering(200, matrix(result, more))(response, request);
  };
}

function matching(series: readonly TestSeries[], asked: Asked): TestSeries[] {
  const matches = compileMatchers(asked.matchers);
  const metric = asked.matchers.find(
    ({ label, operator }) => label === '__name__' && operator === '=',
  );
  // Of thousands of series most are of other metrics.
  const isOther = ([label, value]: TestSeries['labels'][number]): boolean =>
    label === '__name__' && value !== metric?.value;
  return series.filter(
    ({ labels }) => !(metric && labels.some(isOther)) && matches(Object.fromEntries(labels)),
  );
}

function select(series: readonly TestSeries[], asked: Asked): TestSeries[] {
  return matching(series, asked)
    .map((one) => within(one, asked))
    .filter(({ timestampsMs }) => timestampsMs.length > 0);
}

/** Frames by range, of series that are asked for again and again. */
const known = new WeakMap<TestSeries, Map<string, Buffer>>();

function frameOf(series: TestSeries, range: TimeRange): Buffer {
  const ofSeries = known.get(series) ?? new Map<string, Buffer>();
  known.set(series, ofSeries);
  const key = `${range.startMs} ${range.endMs}`;
  const frame = ofSeries.get(key) ?? encoded(within(series, range));
  ofSeries.set(key, frame);
  return frame;
}

function encoded(series: TestSeries): Buffer {
  return series.timestampsMs.length > 0 ? encodeChunked([series]) : Buffer.alloc(0);
}

function within({ labels, timestampsMs, values }: TestSeries, range: TimeRange): TestSeries {
  const inside = timestampsMs.map((ms) => ms >= range.startMs && ms <= range.endMs);
  return {
    labels,
    timestampsMs: timestampsMs.filter((_, i) => inside[i]),
    values: values.filter((_, i) => inside[i]),
  };
}

const OPERATORS: readonly Matcher['operator'][] = ['=', '!=', '=~', '!~'];

/** The query of a prompb.ReadRequest: 1 start, 2 end, 3 matchers (1 type, 2 name, 3 value). */
function readRequest(bytes: Uint8Array): Asked {
  const [query] = fields(bytes).get(1) ?? [];
  const parts = fields(query as Uint8Array);
  const matchers = (parts.get(3) ?? []).map((matcher): Matcher => {
    const of = fields(matcher as Uint8Array);
    const text = (field: number): string => String(Buffer.from(of.get(field)?.[0] as Uint8Array));
    return {
      operator: OPERATORS[Number(of.get(1)?.[0] ?? 0)] ?? '=',
      label: text(2),
      value: text(3),
    };
  });
  return { matchers, startMs: Number(parts.get(1)?.[0]), endMs: Number(parts.get(2)?.[0]) };
}

function fields(bytes: Uint8Array): Map<number, (number | Uint8Array)[]> {
  const reader = new BinaryReader(bytes);
  const found = new Map<number, (number | Uint8Array)[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const value = type === 0 ? Number(reader.int64()) : reader.bytes();
    found.set(field, [...(found.get(field) ?? []), value]);
  }
  return found;
}

/** `metric{label="value",…}[5000ms]` at a time: from 5 s before it, exclusive, to it. */
function promRequest(parameters: URLSearchParams): Asked {
  const query = parameters.get('query') ?? '';
  const [, metric = '', inside = '', lengthMs = '0'] =
    /^(\w+)\{(.*)\}\[(\d+)ms\]$/s.exec(query) ?? [];
  const pairs = [...inside.matchAll(/(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"/g)];
  const endMs = Math.round(Number(parameters.get('time')) * 1000);
  return {
    startMs: endMs - Number(lengthMs) + 1,
    endMs,
    matchers: [
      { label: '__name__', operator: '=', value: metric },
      ...pairs.map(([, label = '', operator, value = '']): Matcher => ({
        label,
        operator: operator as Matcher['operator'],
        value: JSON.parse(`"${value}"`) as string,
      })),
    ],
  };
}
