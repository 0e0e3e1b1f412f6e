/** Splits UTF-8, in chunks cut anywhere, into lines. */

/** @throws {TypeError} for bytes that are no UTF-8 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...further] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    for (const next of further) {
      yield parts.join('');
      parts = [next];
    }
  }
  const last = parts.join('') + decoder.decode();
  if (last !== '') yield last;
}
