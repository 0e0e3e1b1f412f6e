/** Answers that a document does not name are told, and values are made of schemas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeldAnswers } from '../../scripts/fuzz-openapi.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiOf, type DescribedRoom, type ServedRoute } from '../../src/http/index.ts';
import { bodyOf } from '../../src/collections/collection.ts';
import { PLAN } from '../../src/request-sizing/apply/plan-body.ts';
import { fittingValue, nearlyFitting } from '../support/arbitraries/schema-values.ts';
import { DescribedApi } from '../support/described-answers.ts';

const ROUTE: ServedRoute = { method: 'GET', path: '/a', needs: 'viewer', scoping: 'unneeded' };
const MEMBERS = { n: { type: 'number' } };
const ROOM: DescribedRoom = {
  routes: {
    'GET /a': {
      summary: 'a',
      answers: {
        'application/json': { type: 'object', properties: MEMBERS, additionalProperties: false },
      },
    },
  },
};
const ERROR = '{"code":500,"message":"m","data":null}';

test('an answer of a status, a type or a shape that is not named, or 5xx, is told', () => {
  const cases: readonly (readonly [status: number, type: string, body: string, told: RegExp | null])[] = [
    [200, 'application/json', '{"n":1}', null],
    [400, 'application/json', ERROR, null],
    [503, 'application/json', ERROR, null],
    [200, 'application/json', '{"n":"1"}', /must be number/],
    [200, 'application/json', '{"m":1}', /must NOT have additional properties/],
    [200, 'text/csv', 'n', /the type is not named/],
    [418, 'application/json', ERROR, /the status is not named/],
    [504, 'application/json', ERROR, /^GET \/a\?b=1: 504/],
  ]; // prettier-ignore
  for (const [status, type, body, told] of cases) {
    const held = new HeldAnswers();
    const documented = openApiOf([ROUTE], [ROOM], { version: '1', dialects: 'prefix' });
    held.api = new DescribedApi(documented);
    const asked = { server: 'filled', method: 'GET', path: '/a?b=1' } as const;
    held.whole(asked, { status, type, body: Buffer.from(body) });
    if (told === null) assert.deepEqual(held.failures, []);
    else assert.match(held.failures[0] ?? 'nothing was told', told);
    assert.deepEqual(held.never(), status === 200 ? [] : ['GET /a']);
  }
});

const SCHEMAS: readonly (readonly [string, object])[] = [
  ['a collection', bodyOf.schema],
  ['a plan', PLAN.schema],
  ['a number', { type: 'number', minimum: 0, maximum: 1 }],
  ['a word or null', { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }],
];

for (const [name, schema] of SCHEMAS) {
  test(`values that are made of the schema of ${name} fit, and some of those near it do not`, () => {
    const accepts = new Ajv2020({ strict: false }).compile(schema);
    fc.assert(
      fc.property(fittingValue(schema as Readonly<Record<string, unknown>>), (value) =>
        accepts(value),
      ),
    );
    const near = fc.sample(nearlyFitting(schema as Readonly<Record<string, unknown>>), 200);
    assert.ok(near.some((value) => !accepts(value)));
  });
}
