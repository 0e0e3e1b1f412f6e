/**
 * prompb.ReadRequest (https://github.com/prometheus/prometheus/blob/main/prompb/remote.proto):
 *
 *   ReadRequest  1 queries   2 accepted_response_types (packed; STREAMED_XOR_CHUNKS = 1)
 *   Query        1 start ms  2 end ms   3 matchers   4 hints
 *   LabelMatcher 1 type      2 name     3 value
 *   ReadHints    3 start ms  4 end ms
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { matchersOf } from './promql.ts';
import type { Matcher, Selection, TimeRange, Together } from '../source.ts';

const STREAMED_XOR_CHUNKS = 1;

const MATCHER_TYPE: Readonly<Record<Matcher['operator'], number>> = {
  '=': 0,
  '!=': 1,
  '=~': 2,
  '!~': 3,
};

/** The protobuf message, uncompressed. */
export function encodeReadRequest(selection: Selection | Together, range: TimeRange): Uint8Array {
  const startMs = Math.floor(range.startMs);
  const endMs = Math.ceil(range.endMs);
  const writer = new BinaryWriter();
  open(writer, 1);
  writer.tag(1, WireType.Varint).int64(startMs);
  writer.tag(2, WireType.Varint).int64(endMs);
  for (const matcher of allMatchers(selection)) writeMatcher(writer, matcher);
  open(writer, 4);
  writer.tag(3, WireType.Varint).int64(startMs);
  writer.tag(4, WireType.Varint).int64(endMs);
  writer.join();
  writer.join();
  open(writer, 2).int32(STREAMED_XOR_CHUNKS).join();
  return writer.finish();
}

function allMatchers(selection: Selection | Together): readonly Matcher[] {
  const others = matchersOf(selection);
  if ('metrics' in selection) return others;
  return [{ label: '__name__', operator: '=', value: selection.metric }, ...others];
}

function writeMatcher(writer: BinaryWriter, { label, operator, value }: Matcher): void {
  open(writer, 3);
  writer.tag(1, WireType.Varint).int32(MATCHER_TYPE[operator]);
  writer.tag(2, WireType.LengthDelimited).string(label);
  writer.tag(3, WireType.LengthDelimited).string(value);
  writer.join();
}

function open(writer: BinaryWriter, field: number): BinaryWriter {
  return writer.tag(field, WireType.LengthDelimited).fork();
}
