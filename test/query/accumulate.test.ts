import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCUMULATE_UNITS,
  Fault,
  parseAccumulate,
  parseBoolean,
  type Accumulate,
} from '../../src/query/index.ts';

const TRUE = ['1', 't', 'T', 'true', 'True', 'TRUE', ' true ', 'yes', 'Y', 'on'];
const FALSE = ['0', 'f', 'F', 'false', 'False', 'FALSE', 'no', 'N', 'off'];

for (const text of TRUE) {
  test(`'${text}' is true, and accumulates all`, () => {
    assert.equal(parseBoolean(text, 'idle'), true);
    assert.equal(parseAccumulate(text), 'all');
  });
}

for (const text of FALSE) {
  test(`'${text}' is false, and accumulates nothing`, () => {
    assert.equal(parseBoolean(text, 'idle'), false);
    assert.equal(parseAccumulate(text), 'none');
  });
}

for (const text of ['', 'yess', 'nope', '2', '01', 'truee', 'null', '__proto__']) {
  test(`'${text}' is no boolean, and the error lists those that are`, () => {
    assert.throws(() => parseBoolean(text, 'idle'), {
      name: 'Fault',
      status: 400,
      parameter: 'idle',
      message: /is not a boolean: true, yes, on, t, y, 1, or false, no, off, f, n, 0$/,
      hint: text === 'truee' ? 'did you mean idle=true?' : 'for example idle=true',
    });
  });
}

const WORDS: readonly (readonly [string, Accumulate])[] = [
  ['', 'none'],
  ['none', 'none'],
  ['all', 'all'],
  ['ALL', 'all'],
];

for (const [text, expected] of WORDS) {
  test(`accumulate '${text}' is ${expected}`, () => {
    assert.equal(parseAccumulate(text), expected);
  });
}

for (const text of ['hour', 'day', 'week', 'month', 'quarter', 'weeknow', '__proto__']) {
  test(`accumulate '${text}' is refused where only true and false are offered`, () => {
    assert.throws(() => parseAccumulate(text), {
      name: 'Fault',
      parameter: 'accumulate',
      message: `parameter 'accumulate': '${text}' is not one of true, false`,
    });
  });
}

test('an endpoint that offers calendar units reads them in any case', () => {
  assert.equal(parseAccumulate('Week', ['none', 'all', 'week']), 'week');
  assert.throws(() => parseAccumulate('day', ['none', 'all', 'week']), /true, false, week$/);
  assert.throws(() => parseAccumulate('day', ['none']), Fault);
});

const MISTYPED: readonly (readonly [string, hint: string])[] = [
  ['weekly', 'did you mean accumulate=week?'],
  ['weekno', 'did you mean accumulate=weeknow?'],
  ['quater', 'did you mean accumulate=quarter?'],
  ['flase', 'did you mean accumulate=false?'],
  ['x', 'for example accumulate=true'],
];

for (const [text, hint] of MISTYPED) {
  test(`accumulate '${text}' is refused with the hint '${hint}'`, () => {
    const offered: readonly Accumulate[] = ['none', 'all', ...ACCUMULATE_UNITS];
    assert.throws(() => parseAccumulate(text, offered), { hint, status: 400 });
  });
}
