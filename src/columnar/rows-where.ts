/** Rows by what their texts are: each different text is looked at once, each row by its code only. */
import { RowSet } from './row-set.ts';
import type { TextColumn } from './table.ts';

// 0: not asked yet.
const NO = 1;
const YES = 2;

/**
 * The rows whose text `accepts`. Only texts that some row has are asked for: the dictionary may be
 * shared with other columns.
 */
export function rowsWhere(
  { codes, texts }: TextColumn,
  accepts: (text: string) => boolean,
): RowSet {
  const verdicts = new Uint8Array(texts.size);
  const set = new RowSet(codes.length);
  for (let word = 0, row = 0; word < set.words.length; word++) {
    const end = Math.min(row + 32, codes.length);
    let bits = 0;
    for (let bit = 0; row < end; row++, bit++) {
      const code = codes[row];
      let verdict = verdicts[code];
      if (verdict !== NO && verdict !== YES) {
        verdict = accepts(texts.text(code)) ? YES : NO;
        verdicts[code] = verdict;
      }
      bits |= (verdict >>> 1) << bit;
    }
    set.words[word] = bits;
  }
  return set;
}
