// Labels as prompb writes them: repeated `0x0a, length, Label`; Label: name 1, value 2 (both text).

import { bytesOf, sameBytes, valueOf, varint } from "./wire";

/** Results of `varint` for the one-byte tags of a label, its name and its value. */
const LABEL_TAG: u64 = (10 << 4) | 1;
const NAME_TAG: u64 = (10 << 4) | 1;
const VALUE_TAG: u64 = (18 << 4) | 1;

/** A label, as addresses. */
@unmanaged
export class LabelView {
  name: u32;
  nameBytes: u32;
  value: u32;
  valueBytes: u32;
  next: u32;
}

/** Reads the label at `at` into `view`; false when it is damaged. Tags are one byte: 10 and 18. */
export function readLabel(view: LabelView, at: u32, end: u32): bool {
  const tag = varint(at, end);
  const length = varint(at + bytesOf(tag), end);
  if (tag != LABEL_TAG || length == 0) return false;
  let p = at + <u32>(bytesOf(tag) + bytesOf(length));
  if (valueOf(length) > <u64>(end - p)) return false;
  const labelEnd = p + <u32>valueOf(length);
  view.next = labelEnd;
  view.nameBytes = 0;
  view.valueBytes = 0;
  while (p < labelEnd) {
    const field = varint(p, labelEnd);
    const bytes = varint(p + bytesOf(field), labelEnd);
    if ((field != NAME_TAG && field != VALUE_TAG) || bytes == 0) return false;
    p += <u32>(bytesOf(field) + bytesOf(bytes));
    if (valueOf(bytes) > <u64>(labelEnd - p)) return false;
    if (field == NAME_TAG) {
      view.name = p;
      view.nameBytes = <u32>valueOf(bytes);
    } else {
      view.value = p;
      view.valueBytes = <u32>valueOf(bytes);
    }
    p += <u32>valueOf(bytes);
  }
  return true;
}

/** A table of names: this head, then a TextAt each. */
@unmanaged
export class Names {
  count: u32;
}

/** A name, or with NAME_IS_PREFIX among its bytes, all names that begin with it. */
@unmanaged
export class TextAt {
  address: u32;
  bytes: u32;
}
export const NAME_IS_PREFIX: u32 = 0x80000000;

/** The index of the label's name in the table `names`, or -1. */
export function nameIndex(names: u32, view: LabelView): i32 {
  const count = changetype<Names>(<usize>names).count;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<TextAt>(<usize>(names + <u32>offsetof<Names>() + i * <u32>offsetof<TextAt>()));
    const address = entry.address;
    const bytes = entry.bytes & ~NAME_IS_PREFIX;
    const isPrefix = (entry.bytes & NAME_IS_PREFIX) != 0;
    if (isPrefix ? view.nameBytes < bytes : view.nameBytes != bytes) continue;
    // Most names differ in their first byte already.
    if (bytes != 0 && load<u8>(address) != load<u8>(view.name)) continue;
    if (sameBytes(address, view.name, bytes)) return i;
  }
  return -1;
}
