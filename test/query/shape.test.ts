import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, readJson, shapeOf } from '../../src/query/index.ts';

interface Team {
  name: string;
  size: number;
  kind: 'a' | 'b';
  tags: string[];
}

const teamOf = shapeOf<Team>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      size: { type: 'number', minimum: 0 },
      kind: { type: 'string', enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['name', 'size', 'kind', 'tags'],
    additionalProperties: false,
  },
  '{"name":"web"}',
);

const WHOLE = { name: 'web', size: 1, kind: 'a', tags: ['x'] };

const MISTAKES: readonly [string, unknown, string | undefined, RegExp][] = [
  ['a missing field', { ...WHOLE, name: undefined }, undefined, /^the body lacks 'name'$/],
  ['a wrong type', { ...WHOLE, size: '1' }, 'size', /^'size' of the body is "1"; it takes number$/],
  ['a wrong choice', { ...WHOLE, kind: 'c' }, 'kind', /is "c"; it takes "a" or "b"$/],
  ['a value out of range', { ...WHOLE, size: -1 }, 'size', /is -1; it must be >= 0$/],
  ['a mistake in a list', { ...WHOLE, tags: ['x', 2] }, 'tags[1]', /^'tags\[1\]' of the body is 2/],
  ['a mistyped field', { ...WHOLE, nam: 1 }, undefined, /has '"nam"', .* is it 'name'\?$/],
  ['not an object', [], undefined, /^the body is \[\]; it takes object$/],
  ['a long value', { ...WHOLE, kind: 'c'.repeat(999) }, 'kind', /^.{0,140}…; it takes/],
];

for (const [name, value, parameter, message] of MISTAKES) {
  test(`a body with ${name} is refused, naming the field, its value and what is accepted`, () => {
    const sent: unknown = JSON.parse(JSON.stringify(value));
    assert.throws(
      () => teamOf(sent, 'the body'),
      (error) => {
        assert.ok(error instanceof Fault, 'a Fault');
        assert.match(error.message, message);
        assert.equal(error.parameter, parameter);
        assert.equal(error.hint, 'for example {"name":"web"}');
        return true;
      },
    );
  });
}

test('a value of the right shape is returned unchanged', () => {
  assert.equal(teamOf(WHOLE, 'the body'), WHOLE);
});

test("invalid JSON is refused with the parser's message", () => {
  assert.throws(() => readJson('{"a":', 'the body', '{}'), /^Fault: the body is not JSON: /);
});
