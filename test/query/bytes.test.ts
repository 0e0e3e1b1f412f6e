import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBytes } from '../../src/query/index.ts';

const READ: readonly (readonly [string, number])[] = [
  ['1', 1],
  ['100B', 100],
  ['512Mi', 2 ** 29],
  ['2GiB', 2 ** 31],
  ['1g', 2 ** 30],
  ['1.5k', 1536],
  ['1K', 1000],
  ['1kB', 1000],
  ['1.5G', 1_500_000_000],
  ['1Ti', 2 ** 40],
  [' 64m ', 2 ** 26],
];

for (const [text, bytes] of READ) {
  test(`'${text}' is ${bytes} bytes`, () => assert.equal(readBytes(text), bytes));
}

const JUNK = ['', '0', '-1', '1 Gi', 'Mi', '1e9', '0x10', '1mi', '1Pi', '.5G', '9999999T', 'NaN'];
for (const text of JUNK) {
  test(`'${text}' is no amount of memory`, () => assert.equal(readBytes(text), undefined));
}
