/** Selects rows by their texts: each different text is tested once, each row by its code only. */
import { RowSet } from './row-set.ts';
import type { TextColumn } from './table.ts';

// 0: not tested yet.
const NO = 1;
const YES = 2;

/**
 * The rows with a text that `accepts`. Only texts of some row are tested, as the dictionary may be shared
 * with other columns.
 */
export function rowsWhere(
  { codes, texts }: TextColumn,
  accepts: (text: string) => boolean,
): RowSet {
  const answers = new Uint8Array(texts.size);
  const set = new RowSet(codes.length);
  for (let word = 0, row = 0; word < set.words.length; word++) {
    const end = Math.min(row + 32, codes.length);
    let bits = 0;
    for (let bit = 0; row < end; row++, bit++) {
      const code = codes[row];
      let answer = answers[code];
      if (answer !== NO && answer !== YES) {
        answer = accepts(texts.text(code)) ? YES : NO;
        answers[code] = answer;
      }
      bits |= (answer >>> 1) << bit;
    }
    set.words[word] = bits;
  }
  return set;
}
