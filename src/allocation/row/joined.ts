/** Keys of several parts. Parts never contain a zero byte: label values are text. */
export function joined(...parts: readonly string[]): string {
  return parts.join('\0');
}

/** The parts of a joined key. */
export function parts(key: string): string[] {
  return key.split('\0');
}
