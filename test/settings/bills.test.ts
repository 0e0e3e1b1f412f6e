/** Settings of bills that the server fetches: their places and currencies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BILL_SETTINGS } from '../../src/settings/bills.ts';

type Read = readonly (readonly [place: string, value: unknown])[] | undefined;

const CURRENCIES: readonly (readonly [text: string, read: Read])[] = [
  ['cloud/aws-main=EUR', [['cloud/aws-main', 'EUR']]],
  [' cloud/a=eur  external/b=Gbp\n', [['cloud/a', 'EUR'], ['external/b', 'GBP']]], // prettier-ignore
  ['', []],
  ['EUR', undefined],
  ['cloud/a=EURO', undefined],
  ['cloud/a=', undefined],
  ['bills/a=EUR', undefined],
  ['cloud/A=EUR', undefined],
  ['cloud/a=EUR cloud/a=USD', undefined],
  ['cloud/a=EUR,cloud/b=EUR', undefined],
];
for (const [text, read] of CURRENCIES)
  test(`currencies '${text}' are ${read ? 'read' : 'refused'}`, () => {
    const found = BILL_SETTINGS.billCurrencies.read(text);
    assert.deepEqual(found && [...found], read);
  });

const URLS: readonly (readonly [text: string, read: Read])[] = [
  ['cloud/a=s3://bucket/focus/', [['cloud/a', ['s3://bucket/focus/']]]],
  ['cloud/a=https://x/1 cloud/a=https://x/2', [['cloud/a', ['https://x/1', 'https://x/2']]]],
  ['cloud/a=ftp://x/1', undefined],
  ['https://x/1', undefined],
];
for (const [text, read] of URLS)
  test(`URLs '${text}' are ${read ? 'read' : 'refused'}`, () => {
    const found = BILL_SETTINGS.billUrls.read(text);
    assert.deepEqual(found && [...found], read);
  });
