import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISCOUNTS } from '../../src/settings/prices.ts';

const PARTS: readonly (readonly [text: string, part: number | undefined])[] = [
  ['0', 0],
  ['1', 1],
  ['0.125', 0.125],
  ['.5', 0.5],
  ['1e-3', 0.001],
  ['0%', 0],
  ['30%', 0.3],
  ['7.5%', 0.075],
  ['100 %', 1],
  ['30', undefined],
  ['1.01', undefined],
  ['101%', undefined],
  ['-5%', undefined],
  ['-0.1', undefined],
  ['%', undefined],
  ['%30', undefined],
  ['30%%', undefined],
  ['0x1', undefined],
  ['NaN', undefined],
  ['all', undefined],
];

for (const [text, part] of PARTS)
  test(`a discount of '${text}' is ${part ?? 'refused'}`, () => {
    for (const row of Object.values(DISCOUNTS)) assert.equal(row.read(text), part);
  });
