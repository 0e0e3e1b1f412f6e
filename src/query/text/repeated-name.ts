/** Finds objects with a repeated name: some readers take its first value, others the last. */
import { endOfString } from './json-bounds.ts';

/**
 * @param text JSON, checked
 * @returns the first name that an object has twice
 */
export function repeatedName(text: string): string | undefined {
  /** Names of each object that encloses the place; undefined for an array. */
  const around: (Set<string> | undefined)[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text[at];
    if (unit === '{') around.push(new Set());
    else if (unit === '[') around.push(undefined);
    else if (unit === '}' || unit === ']') around.pop();
    if (unit !== '"') continue;
    const end = endOfString(text, at);
    const names = isName(text, end + 1) ? around.at(-1) : undefined;
    if (names !== undefined) {
      const name = JSON.parse(text.slice(at, end + 1)) as string;
      if (names.has(name)) return name;
      names.add(name);
    }
    at = end;
  }
  return undefined;
}

function isName(text: string, behind: number): boolean {
  let at = behind;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return text[at] === ':';
}
