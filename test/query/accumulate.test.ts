import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, parseAccumulate, parseBoolean, type Accumulate } from '../../src/query/index.ts';

const TRUE = ['1', 't', 'T', 'true', 'True', 'TRUE', ' true '];
const FALSE = ['0', 'f', 'F', 'false', 'False', 'FALSE'];

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

for (const text of ['', 'yes', 'no', 'on', '2', '01', 'truee', 'null', '__proto__']) {
  test(`'${text}' is no boolean, and the error lists those that are`, () => {
    assert.throws(() => parseBoolean(text, 'idle'), {
      name: 'Fault',
      status: 400,
      parameter: 'idle',
      message: /is not a boolean: true, t, 1, false, f or 0$/,
      hint: 'for example idle=true',
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

for (const text of ['hour', 'day', 'week', 'month', 'quarter', 'weeknow', 'yes', '__proto__']) {
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
