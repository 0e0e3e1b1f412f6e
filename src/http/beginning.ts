/**
 * Collects the beginning of an answer before its head is sent, so that warnings found until then can
 * still be in the head.
 */

/**
 * The whole answer if it has at most `maxBytes`, else its chunks: the collected ones, each freed as it is
 * yielded, then the rest.
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
    // A chunk is valid only until the next one is requested.
    parts.push(Buffer.from(next.value));
  }
}

function resumed(
  parts: Uint8Array[],
  iterator: AsyncIterator<Uint8Array, unknown, unknown>,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: async (wasTaken?: unknown) => {
        const value = parts.shift();
        return value === undefined ? await iterator.next(wasTaken) : { done: false, value };
      },
      return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
    }),
  };
}
