/** Which dialect a path is answered in. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  DIALECT_RULES,
  json,
  ownVisit,
  type DialectRule,
  type Route,
} from '../../src/http/index.ts';
import { openRouter } from '../support/servers/open-router.ts';

const route = (path: string, said: string, more: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  needs: 'nobody',
  scoping: 'unneeded',
  handle: () => json(said),
  ...more,
});

const ROUTES: readonly Route[] = [
  route('/a', 'stored', { dialect: 'kubecost' }),
  route('/a', 'computed', { dialect: 'opencost' }),
  route('/a', 'posted', { method: 'POST', dialect: 'kubecost' }),
  route('/b', 'both'),
  route('/c', 'opencost alone', { dialect: 'opencost' }),
];

async function answer(
  rule: DialectRule | undefined,
  method: string,
  path: string,
): Promise<unknown> {
  const dialects = rule === undefined ? {} : { dialects: rule };
  const reply = await openRouter(ROUTES, { log: assert.fail, ...dialects })({
    method,
    path,
    query: '',
    body: new Uint8Array(0),
    header: () => '',
    signal: AbortSignal.any([]),
    visit: ownVisit(),
  });
  assert.ok(typeof reply.body === 'string');
  return reply.status === 200 ? JSON.parse(reply.body) : reply.status;
}

/** Answers below `/model` and without it. */
const ANSWERS: Readonly<Record<DialectRule, Readonly<Record<string, readonly [unknown, unknown]>>>> = {
  prefix: { a: ['stored', 'computed'], b: ['both', 'both'], c: [404, 'opencost alone'] },
  kubecost: { a: ['stored', 'stored'], b: ['both', 'both'], c: [404, 404] },
  opencost: { a: ['computed', 'computed'], b: ['both', 'both'], c: ['opencost alone', 'opencost alone'] },
}; // prettier-ignore

describe('a path speaks', () => {
  for (const rule of DIALECT_RULES)
    for (const [name, [below, without]] of Object.entries(ANSWERS[rule]))
      test(`by '${rule}': /model/${name} and /${name}`, async () => {
        for (const method of ['GET', 'HEAD']) {
          assert.equal(await answer(rule, method, `/model/${name}`), below);
          assert.equal(await answer(rule, method, `/${name}`), without);
        }
      });
});

test("where no rule is given all paths speak Kubecost's", async () => {
  assert.equal(await answer(undefined, 'GET', '/a'), 'stored');
});

test('a method that the other dialect alone has is 405', async () => {
  assert.equal(await answer('prefix', 'POST', '/model/a'), 'posted');
  assert.equal(await answer('prefix', 'POST', '/a'), 405);
});

test('two routes of one path and dialect are a bug', () => {
  const open = (routes: readonly Route[]): unknown => openRouter(routes, { log: assert.fail });
  assert.throws(
    () => open([...ROUTES, route('/model/a', 'x', { dialect: 'opencost' })]),
    /BUG: two/,
  );
  assert.throws(() => open([...ROUTES, route('/c', 'x')]), /BUG: two/);
});
