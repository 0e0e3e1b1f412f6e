/** Sheets of prices: what a cell means, and what is refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PriceSheet } from '../../src/pricing/price-sheet.ts';
import { Fault } from '../../src/query/index.ts';

const HEAD = '# USD an hour; collected 2026-11-22\nname,size,east,west\n';

function cellOf(cell: string): unknown {
  const sheet = new PriceSheet(`${HEAD}a.large,2,${cell}\n`, 'f.csv', 1);
  const row = sheet.row('A.Large');
  return row && sheet.priceIn(row, 'east');
}

describe('a cell of a sheet', () => {
  for (const [cell, expected] of [
    ['.096', { usdPerHour: 0.096, isComputed: false }],
    ['1.5', { usdPerHour: 1.5, isComputed: false }],
    ['~.0965', { usdPerHour: 0.0965, isComputed: true }],
    ['', undefined],
  ] as const) {
    test(`'${cell}' is read as ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(cellOf(cell), expected);
    });
  }

  for (const cell of ['-1', 'x', '~', '~~1', '1e999', '0x10']) {
    test(`'${cell}' is refused with its file, line and column`, () => {
      assert.throws(
        () => cellOf(cell),
        new Fault(`f.csv, line 3, column east: '${cell}' is not a number, 0 or more`),
      );
    });
  }
});

test('a sheet tells its date, its regions and its types', () => {
  const sheet = new PriceSheet(`${HEAD}A.large,2,1\nb,4,,2\n`, 'f.csv', 1);
  assert.deepEqual(
    [sheet.collected, sheet.regions, [...sheet.names()], sheet.row('c')],
    ['2026-11-22', ['east', 'west'], ['a.large', 'b'], undefined],
  );
});

test('a price of every region holds in a region without a column', () => {
  const sheet = new PriceSheet('# collected 2026-11-22\nname,*\nc-2,.05\n', 'f.csv', 0);
  const row = sheet.row('c-2');
  assert.equal(row && sheet.priceIn(row, 'fra1')?.usdPerHour, 0.05);
});

for (const [text, line] of [
  ['name,east\n', 1],
  ['# collected 2026-11-22\neast\n', 2],
] as const) {
  test(`a text that is no sheet is refused at line ${line}`, () => {
    assert.throws(
      () => new PriceSheet(text, 'f.csv', 0),
      new Fault(`f.csv, line ${line}: not a sheet of prices`),
    );
  });
}
