// Reads the result of a range selector or a range query, series by series, as its bytes come
// (https://prometheus.io/docs/prometheus/latest/querying/api/#range-vectors):
//
//   [ {"metric": {"__name__": "up", …}, "values": [ [1710028800.123, "1"], … ]}, … ]
//
// from behind the first bracket to the last. Members may stand in any order, those that are none of
// the two are passed over. A series goes out as its labels, in prompb's form, and two columns.

import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  endBytes,
  fail,
  OPEN_ARRAY,
  OPEN_OBJECT,
  pastBlanks,
  pastNull,
  QUOTE,
  textEnd,
  unescape,
  UNEXPECTED,
} from "./json-bytes";
import { skipValue, VALUE } from "./json-skip";
import { addLabel, clearLabels, roomForLabel } from "./label-writer";
import { readPairs } from "./matrix-pairs";
import { MatrixReader } from "./matrix-reader";

/** A series is complete: its labels and columns stay until the next call. */
export const SERIES: i32 = 1;
/** The array is complete, and `at` stands behind it. */
export const END: i32 = 2;
/** There is no room for the next label: call again with more. */
export const LABELS_FULL: i32 = 4;
/** A series has more than LABELS_MAX labels. */
export const CROWDED: i32 = -5;
const LABELS_MAX: u32 = 4096;

/** The next step may follow. */
const ON: i32 = 100;

/** What may come next. */
const FIRST_SERIES: u32 = 0;
const NEXT_SERIES: u32 = 1;
const AFTER_SERIES: u32 = 2;
const FIRST_MEMBER: u32 = 3;
const NEXT_MEMBER: u32 = 4;
const AFTER_MEMBER: u32 = 5;
const METRIC: u32 = 6;
const FIRST_LABEL: u32 = 7;
const NEXT_LABEL: u32 = 8;
const AFTER_LABEL: u32 = 9;
const VALUES: u32 = 10;
const FIRST_PAIR: u32 = 11;
const NEXT_PAIR: u32 = 12;
const AFTER_PAIR: u32 = 13;
const OTHER: u32 = 14;

const METR: u32 = 0x7274656d; // 'metric', 'values' in two parts
const IC: u16 = 0x6369;
const VALU: u32 = 0x756c6176;
const ES: u16 = 0x7365;

/**
 * Reads on from `at`. @returns MORE: all but what is not whole is read, bytes from `at` on belong before
 * those that follow; SERIES; END; SAMPLES_FULL, LABELS_FULL, ODD_TIME, ODD_VALUE: call again once that
 * is seen to; negative: damage, at `wrong`
 */
export function readMatrix(m: MatrixReader): i32 {
  endBytes(m);
  while (true) {
    const p = pastBlanks(m.at);
    m.at = p;
    const status = m.step < METRIC ? readSeries(m, p, load<u8>(p)) : readMember(m, p, load<u8>(p));
    if (status != ON) return status;
    m.textKnown = 0;
  }
}

@inline function on(m: MatrixReader, p: u32, step: u32): i32 {
  m.at = p;
  m.step = step;
  return ON;
}

function refuse(m: MatrixReader, p: u32, status: i32): i32 {
  fail(m, p, status);
  return m.status;
}

function readSeries(m: MatrixReader, p: u32, byte: u8): i32 {
  switch (m.step) {
    case FIRST_SERIES:
      if (byte == CLOSE_ARRAY) return leave(m, p);
    case NEXT_SERIES:
      if (byte != OPEN_OBJECT) return readNull(m, p, AFTER_SERIES);
      clearLabels(m.labels);
      clearSamples(m);
      return on(m, p + 1, FIRST_MEMBER);
    case AFTER_SERIES:
      if (byte == COMMA) return on(m, p + 1, NEXT_SERIES);
      return byte == CLOSE_ARRAY ? leave(m, p) : refuse(m, p, UNEXPECTED);
    case FIRST_MEMBER:
      if (byte == CLOSE_OBJECT) return complete(m, p);
    case NEXT_MEMBER:
      return byte == QUOTE ? readName(m, p) : refuse(m, p, UNEXPECTED);
    default:
      if (byte == COMMA) return on(m, p + 1, NEXT_MEMBER);
      return byte == CLOSE_OBJECT ? complete(m, p) : refuse(m, p, UNEXPECTED);
  }
}

function readMember(m: MatrixReader, p: u32, byte: u8): i32 {
  switch (m.step) {
    case METRIC:
      clearLabels(m.labels);
      return byte == OPEN_OBJECT ? on(m, p + 1, FIRST_LABEL) : readNull(m, p, AFTER_MEMBER);
    case FIRST_LABEL:
      if (byte == CLOSE_OBJECT) return on(m, p + 1, AFTER_MEMBER);
    case NEXT_LABEL:
      return byte == QUOTE ? readLabel(m, p) : refuse(m, p, UNEXPECTED);
    case AFTER_LABEL:
      if (byte == COMMA) return on(m, p + 1, NEXT_LABEL);
      return byte == CLOSE_OBJECT ? on(m, p + 1, AFTER_MEMBER) : refuse(m, p, UNEXPECTED);
    case VALUES:
      clearSamples(m);
      return byte == OPEN_ARRAY ? on(m, p + 1, FIRST_PAIR) : readNull(m, p, AFTER_MEMBER);
    case FIRST_PAIR:
      if (byte == CLOSE_ARRAY) return on(m, p + 1, AFTER_MEMBER);
    case NEXT_PAIR:
      if (byte != OPEN_ARRAY) return refuse(m, p, UNEXPECTED);
      m.step = NEXT_PAIR;
      return readPairs(m, p) ? on(m, m.at, AFTER_PAIR) : m.status;
    case AFTER_PAIR:
      if (byte == COMMA) return on(m, p + 1, NEXT_PAIR);
      return byte == CLOSE_ARRAY ? on(m, p + 1, AFTER_MEMBER) : refuse(m, p, UNEXPECTED);
    default:
      return skipValue(m) ? on(m, m.at, AFTER_MEMBER) : m.status;
  }
}

function leave(m: MatrixReader, p: u32): i32 {
  on(m, p + 1, FIRST_SERIES);
  return END;
}

function complete(m: MatrixReader, p: u32): i32 {
  on(m, p + 1, AFTER_SERIES);
  return SERIES;
}

function clearSamples(m: MatrixReader): void {
  m.samples = 0;
  m.nonFinite = 0;
}

function readNull(m: MatrixReader, p: u32, step: u32): i32 {
  const end = pastNull(m, p);
  return end == 0 ? m.status : on(m, end, step);
}

/** `"name":`, as a whole. */
function readName(m: MatrixReader, p: u32): i32 {
  const from = p + 1;
  let to = textEnd(m, from);
  if (to == 0) return m.status;
  const colon = pastBlanks(to + 1);
  if (load<u8>(colon) != COLON) return refuse(m, colon, UNEXPECTED);
  if (m.hasEscapes) to = unescape(from, to);
  const first = load<u32>(from), rest = load<u16>(from, 4);
  let step = OTHER;
  if (to - from == 6 && first == METR && rest == IC) step = METRIC;
  else if (to - from == 6 && first == VALU && rest == ES) step = VALUES;
  m.expects = VALUE;
  return on(m, colon + 1, step);
}

/** `"name":"value"`, as a whole. */
function readLabel(m: MatrixReader, p: u32): i32 {
  const labels = m.labels;
  let nameEnd = textEnd(m, p + 1);
  if (nameEnd == 0) return m.status;
  const hasEscapes = m.hasEscapes;
  const colon = pastBlanks(nameEnd + 1);
  if (load<u8>(colon) != COLON) return refuse(m, colon, UNEXPECTED);
  const value = pastBlanks(colon + 1);
  if (load<u8>(value) != QUOTE) return refuse(m, value, UNEXPECTED);
  let end = textEnd(m, value + 1);
  if (end == 0) return m.status;
  const next = end + 1;
  const bytes = nameEnd - p + end - value;
  m.neededBytes = roomForLabel(labels, bytes);
  if (m.neededBytes > labels.room) return LABELS_FULL;
  if (labels.count == LABELS_MAX) return refuse(m, p, CROWDED);
  if (m.hasEscapes) end = unescape(value + 1, end);
  if (hasEscapes) nameEnd = unescape(p + 1, nameEnd);
  addLabel(labels, p + 1, nameEnd - p - 1, value + 1, end - value - 1);
  return on(m, next, AFTER_LABEL);
}
