// Writes labels as prompb has them (labels.ts reads them), in order of their names, each name once: the
// same labels are the same bytes, however a store orders them. Nearly all stores do, so that a label
// goes behind those before it; one that does not is put in its place.

import { LabelView, readLabel } from "./labels";

const LABEL: u8 = 10;
const NAME: u8 = 10;
const VALUE: u8 = 18;
/** Tags and lengths of a label, at most. */
const HEAD_BYTES_MAX: u32 = 18;

/** Labels that are written, and where. */
@unmanaged
export class WrittenLabels {
  from: u32;
  room: u32;
  bytes: u32;
  count: u32;
  /** the one with the greatest name, from `from` on; of use where there is one */
  last: u32;
  /** the label that is looked at */
  view: LabelView;
}

export function clearLabels(w: WrittenLabels): void {
  w.bytes = 0;
  w.count = 0;
}

/** Bytes that labels take with one more, of so many bytes of name and value, wherever its place is. */
export function roomForLabel(w: WrittenLabels, bytes: u32): u32 { return w.bytes + 2 * (bytes + HEAD_BYTES_MAX); }

/** Adds a label that fits; the last of those with one name counts, and an empty one is none. */
export function addLabel(w: WrittenLabels, name: u32, nameBytes: u32, value: u32, valueBytes: u32): void {
  const isGreatest = w.count == 0 || order(w, w.from + w.last, name, nameBytes) < 0;
  if (!isGreatest) return insert(w, name, nameBytes, value, valueBytes);
  if (valueBytes == 0) return;
  w.last = w.bytes;
  w.count++;
  w.bytes += writeLabel(w.from + w.bytes, name, nameBytes, value, valueBytes);
}

/** Below 0: the label at `at` comes before the name, 0: it has it. Leaves the view at the label. */
function order(w: WrittenLabels, at: u32, name: u32, nameBytes: u32): i32 {
  const view = w.view;
  readLabel(view, at, w.from + w.bytes);
  const order = memory.compare(view.name, name, min(view.nameBytes, nameBytes));
  return order != 0 ? order : <i32>view.nameBytes - <i32>nameBytes;
}

function insert(w: WrittenLabels, name: u32, nameBytes: u32, value: u32, valueBytes: u32): void {
  const view = w.view;
  let at = w.from;
  let compared = order(w, at, name, nameBytes);
  while (compared < 0) {
    at = view.next;
    compared = order(w, at, name, nameBytes);
  }
  if (compared == 0) {
    memory.copy(at, view.next, w.from + w.bytes - view.next);
    w.bytes -= view.next - at;
    w.count--;
  }
  if (valueBytes != 0) {
    const end = w.from + w.bytes;
    const bytes = writeLabel(end, name, nameBytes, value, valueBytes);
    memory.copy(end + bytes, end, bytes);
    memory.copy(at + bytes, at, end - at);
    memory.copy(at, end + bytes, bytes);
    w.bytes += bytes;
    w.count++;
  }
  const end = w.from + w.bytes;
  for (at = w.from; at < end; at = view.next) {
    readLabel(view, at, end);
    w.last = at - w.from;
  }
}

/** @returns its bytes */
function writeLabel(at: u32, name: u32, nameBytes: u32, value: u32, valueBytes: u32): u32 {
  const from = at;
  const inner = 2 + varintBytes(nameBytes) + nameBytes + varintBytes(valueBytes) + valueBytes;
  at = writeHead(at, LABEL, inner);
  at = writeText(at, NAME, name, nameBytes);
  return writeText(at, VALUE, value, valueBytes) - from;
}

@inline function writeText(at: u32, tag: u8, text: u32, bytes: u32): u32 {
  at = writeHead(at, tag, bytes);
  memory.copy(at, text, bytes);
  return at + bytes;
}

function writeHead(at: u32, tag: u8, length: u32): u32 {
  store<u8>(at++, tag);
  for (; length > 127; length >>= 7) store<u8>(at++, <u8>(length | 128));
  store<u8>(at, <u8>length);
  return at + 1;
}

function varintBytes(value: u32): u32 {
  let bytes: u32 = 1;
  for (; value > 127; value >>= 7) bytes++;
  return bytes;
}
