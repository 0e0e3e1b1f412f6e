/** Which labels count, where several series tell them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SeriesRecord } from '../../../src/columnar/index.ts';
import { textsOf, type Texts } from '../../../src/allocation/inventory/texts.ts';

type Labels = Readonly<Record<string, string>>;
/** Labels, and when they were seen; NaN: only the mark of their end. */
type Told = readonly [labels: Labels, firstMs: number, lastMs: number];

function recordOf([labels, firstMs, lastMs]: Told): SeriesRecord {
  return {
    label: (name) => labels[name] ?? '',
    labels: () => Object.entries(labels),
    identity: -1,
    firstMs,
    lastMs,
    staleMs: NaN,
    intervalMs: 30,
    runs: 0,
    pairs: [],
  };
}

const CASES: readonly (readonly [
  name: string,
  told: readonly Told[],
  labels: Labels,
  changed: number,
])[] = [
  ['one series: its own', [[{ a: '1' }, 0, 100]], { a: '1' }, NaN],
  ['the same again: no change', [[{ a: '1' }, 0, 40], [{ a: '1' }, 60, 100]], { a: '1' }, NaN],
  ['one after the other: the later', [[{ a: '1' }, 0, 40], [{ a: '2' }, 60, 100]], { a: '2' }, 60],
  ['a label taken away: none', [[{ a: '1' }, 0, 40], [{}, 60, 100]], {}, 60],
  ['two at once: both', [[{ a: '1' }, 0, 100], [{ b: '2' }, 10, 90]], { a: '1', b: '2' }, NaN],
  ['two at once that disagree: the later seen', [[{ a: '1' }, 0, 90], [{ a: '2' }, 0, 100]], { a: '2' }, NaN],
  ['a mark of an end: what was seen', [[{ a: '1' }, NaN, NaN], [{ a: '2' }, 10, 90]], { a: '2' }, 10],
]; // prettier-ignore

function fold(told: readonly Told[]): Texts | undefined {
  let texts: Texts | undefined;
  for (const one of told) texts = textsOf(recordOf(one), 'label_', texts);
  return texts;
}

describe('labels are those of', () => {
  for (const [name, told, labels, changed] of CASES)
    for (const [order, list] of [
      ['', told],
      [', read backward', told.toReversed()],
    ] as const)
      // prettier-ignore
      test(`${name}${order}`, () => {
        const texts = fold(list);
        assert.deepEqual(new Map(texts?.pairs), new Map(Object.entries(labels)));
        if (!name.startsWith('a mark')) assert.equal(texts?.changedMs, changed);
      });
});
