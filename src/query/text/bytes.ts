/**
 * Multipliers by suffix. Kubernetes' quantities (`Ki`, `Mi`, and `K`, `M` as powers of ten), the
 * IEC's `KiB`, the SI's `kB`, and the lower-case letters of Docker and the JVM, which are powers
 * of two.
 */
const SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ...['k', 'm', 'g', 't'].flatMap((letter, index) => {
    const upper = letter.toUpperCase();
    const two = 1024 ** (index + 1);
    const ten = 1000 ** (index + 1);
    return [
      [letter, two],
      [`${upper}i`, two],
      [`${upper}iB`, two],
      [upper, ten],
      [`${upper}B`, ten],
      [`${letter}B`, ten],
    ] as const;
  }),
]);

/**
 * An amount of memory such as `512Mi`, `2GiB`, `1.5G` or `1g`.
 *
 * @returns whole bytes, in [1, 2^53); undefined for anything else
 */
export function readBytes(text: string): number | undefined {
  const parts = /^(\d{1,16}(?:\.\d{1,15})?)([a-zA-Z]{0,3})$/.exec(text.trim());
  const factor = SUFFIXES.get(parts?.[2] ?? '');
  if (parts === null || factor === undefined) return undefined;
  const bytes = Math.floor(Number(parts[1]) * factor);
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
