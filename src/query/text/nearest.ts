/** Names are suggested if they differ by at most this many keystrokes. */
const FARTHEST = 3;
const LONGEST = 64;

/**
 * The name closest to a mistyped one, ignoring case: fewest insertions, deletions and replacements
 * (https://en.wikipedia.org/wiki/Levenshtein_distance), the first of equals; undefined when none
 * is near.
 */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  if (typed.length > LONGEST) return undefined;
  let best: string | undefined;
  // Replacing more than half of the characters is no similarity.
  let fewest = Math.min(FARTHEST, Math.floor(typed.length / 2)) + 1;
  for (const name of names) {
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

function editsBetween(source: string, target: string): number {
  const letters = Array.from(target);
  let above = Array.from({ length: letters.length + 1 }, (_, index) => index);
  for (const [row, letter] of Array.from(source).entries()) {
    const line = [row + 1];
    for (const [column, other] of letters.entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
