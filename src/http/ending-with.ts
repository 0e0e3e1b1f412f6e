/** Chunks with a function that is called at their end. */

/**
 * Calls `onEnd` once when the chunks end: by themselves, by an error, or because the reader left, also
 * before the first chunk.
 * @param explain turns an error into the one that the reader gets
 */
export function endingWith(
  chunks: AsyncIterable<Uint8Array>,
  onEnd: () => void,
  explain: (error: unknown) => unknown = (error) => error,
): AsyncIterable<Uint8Array> {
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) onEnd();
    hasEnded = true;
  };
  const ending = async (
    step: Promise<IteratorResult<Uint8Array>>,
  ): Promise<IteratorResult<Uint8Array>> => {
    try {
      const result = await step;
      if (result.done) end();
      return result;
    } catch (error) {
      const explained = explain(error);
      end();
      throw explained;
    }
  };
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = chunks[Symbol.asyncIterator]();
      const over = { done: true, value: undefined } as const;
      return {
        next: (wasTaken?: unknown) => ending(iterator.next(wasTaken)),
        return: () => ending(iterator.return?.() ?? Promise.resolve(over)),
      };
    },
  };
}
