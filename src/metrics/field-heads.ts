/** Heads of protobuf fields of wire type 2: a tag of one byte, and a length. */

/** Length of a field of so many bytes, with its head. */
export function fieldBytes(size: number): number {
  let bytes = 2 + size;
  for (let rest = size; rest > 127; rest >>>= 7) bytes++;
  return bytes;
}

/** @returns the place of the field's content */
export function writeHead(bytes: Uint8Array, at: number, tag: number, size: number): number {
  let next = at;
  bytes[next++] = tag;
  let rest = size;
  for (; rest > 127; rest >>>= 7) bytes[next++] = (rest & 127) | 128;
  bytes[next++] = rest;
  return next;
}
