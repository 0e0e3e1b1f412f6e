/** Bytes that are pulled, so that files are read directly to their place in memory. */

/** Fills the beginning of the target, at least one byte of it. @returns how many; 0 at the end */
export type ReadBytes = (target: Uint8Array) => Promise<number>;

const CHUNK_BYTES = 65_536;

export function readFrom(chunks: AsyncIterable<Uint8Array>): ReadBytes {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  return async (target) => {
    while (rest.length === 0) {
      const { done, value } = await iterator.next();
      if (done === true) return 0;
      rest = value;
    }
    const taken = rest.subarray(0, target.length);
    target.set(taken);
    rest = rest.subarray(taken.length);
    return taken.length;
  };
}

/** Each chunk is a copy of its own. */
export async function* chunksOf(read: ReadBytes): AsyncGenerator<Uint8Array> {
  for (;;) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const count = await read(chunk);
    if (count === 0) return;
    yield chunk.subarray(0, count);
  }
}

/** The bytes of `read`, with `head` before them. */
export function withHead(head: Uint8Array, read: ReadBytes): ReadBytes {
  let rest = head;
  return (target) => {
    if (rest.length === 0) return read(target);
    const taken = rest.subarray(0, target.length);
    target.set(taken);
    rest = rest.subarray(taken.length);
    return Promise.resolve(taken.length);
  };
}

/** The first bytes, or all if there are fewer. */
export async function readHead(read: ReadBytes, bytes: number): Promise<Buffer> {
  const head = Buffer.alloc(bytes);
  let filled = 0;
  while (filled < bytes) {
    const count = await read(head.subarray(filled));
    if (count === 0) break;
    filled += count;
  }
  return head.subarray(0, filled);
}
