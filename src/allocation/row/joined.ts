/** Keys of several parts. Parts never contain a zero byte: label values are text. */
export function joined(...parts: readonly string[]): string {
  return parts.join('\0');
}

/** What was joined. */
export function parts(key: string): string[] {
  return key.split('\0');
}
