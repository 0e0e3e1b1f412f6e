/** FNV-1a of the UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), its bits mixed once more. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
