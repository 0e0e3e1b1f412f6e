/**
 * The beginning of an answer, made before its head is sent: what is found on the way until then can
 * still stand in the head.
 */

/**
 * The whole answer where it has at most `maxBytes`, else its chunks: what was collected, each part let
 * go as it is given, then the rest.
 */
export async function beginning(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | AsyncIterable<Uint8Array>> {
  const iterator: AsyncIterator<Uint8Array, unknown, unknown> = chunks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return Buffer.concat(parts);
    bytes += next.value.length;
    if (bytes > maxBytes) return resumed([...parts, next.value], iterator);
    // A chunk is valid only until the next is asked for.
    parts.push(Buffer.from(next.value));
  }
}

function resumed(
  parts: Uint8Array[],
  iterator: AsyncIterator<Uint8Array, unknown, unknown>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async (told?: unknown) => {
        const value = parts.shift();
        return value === undefined ? await iterator.next(told) : { done: false, value };
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
