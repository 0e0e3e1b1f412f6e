/**
 * Chance that is the same each time it is asked: everything in the demo fleet is a function of its
 * seed and of absolute time, so that any window shows the same past.
 */

/** Joins two 32-bit numbers into one, well scattered (the finalizer of MurmurHash3). */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** In [0, 1). */
export function unit(hash: number): number {
  return hash / 4294967296;
}

/** FNV-1a over UTF-16 units. */
export function hashText(text: string, seed: number): number {
  let h = (seed ^ 0x811c9dc5) >>> 0;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h, text.length);
}

/** Kubernetes' own alphabet of generated names: no vowels, nothing alike. */
const SAFE_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

export function safeText(hash: number, length: number): string {
  let text = '';
  for (let i = 1; i <= length; i++) text += SAFE_LETTERS[mix(hash, i) % SAFE_LETTERS.length];
  return text;
}

export function hexText(hash: number, length: number): string {
  let text = '';
  for (let i = 1; text.length < length; i++) text += mix(hash, i).toString(16).padStart(8, '0');
  return text.slice(0, length);
}

export function uuid(hash: number): string {
  const hex = hexText(hash, 32);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}
