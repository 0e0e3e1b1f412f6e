/** What callers with a filter are told of errors: the same, however large the rows of others are. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { crowdedOut, ranOut, tooLarge } from '../../src/allocation/compute/refusals.ts';
import { ArenaFull, HeapFull } from '../../src/columnar/index.ts';
import { EVERYBODY } from '../../src/http/caller.ts';
import type { HttpReply } from '../../src/http/index.ts';
import { ownVisit } from '../../src/http/visit.ts';
import { StoreFailure } from '../../src/metrics/client/store-failure.ts';
import { Fault, Unavailable } from '../../src/query/index.ts';
import { openRouter } from '../support/servers/open-router.ts';

const HOUR_MS = 3_600_000;
const plan = {
  window: { startMs: 0, endMs: 48 * HOUR_MS },
  nowMs: 48 * HOUR_MS,
  isByCalendar: false,
};

/** Errors by how much there is of everything, which callers with a filter may not find out. */
const ERRORS: readonly (readonly [name: string, make: (size: number) => Error, status: number])[] =
  [
    ['an answer with an estimate', (n) => tooLarge(plan, n * 1e6, n * 5e5, { stepMs: n * 60_000, windowMs: n * 60_000 }), 422],
    ['facts that do not fit', (n) => ranOut(plan, 1e9, 1 / n), 422],
    ['a full heap', (n) => new HeapFull(n * 1e6, false), 422],
    ['more samples than a store gives', (n) => new StoreFailure(`it has ${n} samples`, { status: 422 }), 422],
    ['a full heap of others', (n) => new HeapFull(n * 1e6, true), 503],
    ['a full arena', (n) => new ArenaFull(n * 1e6, n), 503],
    ['other queries', crowdedOut, 503],
    ['a queue', (n) => new Unavailable(`${n} wait`, { retryAfterSeconds: n, hint: `in ${n} s` }), 503],
    ['a slow store', (n) => new StoreFailure(`nothing came after ${n} ms`, { status: n % 2 === 0 ? 502 : 504 }), 503],
    ['damage', (n) => new Unavailable(`set ${n} is damaged`), 503],
  ]; // prettier-ignore

async function answered(error: Error, filter: string | null): Promise<HttpReply> {
  const handle = (): never => {
    throw error;
  };
  const route = { method: 'GET', path: '/a', needs: 'viewer', scoping: 'joined', handle } as const;
  const handler = openRouter(
    [route],
    { log: (message) => assert.fail(message) },
    { identify: () => ({ ...EVERYBODY, filter }), isOpen: () => false, isPrivate: false },
  );
  return await handler({
    method: 'GET',
    path: '/a',
    query: '',
    body: new Uint8Array(0),
    header: () => '',
    visit: ownVisit(),
    signal: AbortSignal.any([]),
  });
}

for (const [name, make, status] of ERRORS)
  test(`S-22: ${name} is told to who sees some rows alone without its size`, async () => {
    const general = await answered(make(1), 'namespace:"web"');
    assert.equal(general.status, status);
    const size = fc.integer({ min: 1, max: 1000 });
    await fc.assert(
      fc.asyncProperty(size, async (n) => {
        assert.deepEqual(await answered(make(n), 'namespace:"web"'), general);
      }),
      { numRuns: 30 },
    );
    const texts = [1, 7].map(async (n) => JSON.stringify(await answered(make(n), null)));
    const [one, seven] = await Promise.all(texts);
    // Who sees all rows is told.
    if (name !== 'facts that do not fit') assert.notEqual(one, seven);
  });

test('what is wrong with a question is told to all alike', async () => {
  const error = new Fault('a window of 0 s', { parameter: 'window', hint: 'window=1d' });
  assert.deepEqual(await answered(error, 'namespace:"web"'), await answered(error, null));
});

/** By file: whether its answers of 422 depend on the question alone, on rows the caller may see, or on all. */
const REFUSALS: Readonly<Record<string, 'question' | 'own rows' | 'all rows' | 'store'>> = {
  'allocation/compute/refusals.ts': 'all rows',
  'allocation/formats/room.ts': 'all rows',
  'query/overfull.ts': 'all rows',
  'billing/charges/charge-refusals.ts': 'own rows',
  'collections/overlaps.ts': 'question',
  'mcp/asked-route.ts': 'own rows',
  'mcp/result.ts': 'own rows',
  'metrics/readers/query-range.ts': 'store',
  'http/discreet-error.ts': 'question',
  'query/time/calendar-sets.ts': 'question',
  'query/time/calendar.ts': 'question',
  'query/time/steps.ts': 'question',
  'request-sizing/apply/plan-body.ts': 'question',
  'request-sizing/demand/used-sets.ts': 'question',
};

test('each answer of 422 is known by what it depends on', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url));
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = all.filter((path) => path.endsWith('.ts'));
  const refusing = files
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
    .filter(([, text]) => text.includes('status: 422'));
  assert.deepEqual(refusing.map(([path]) => path).toSorted(), Object.keys(REFUSALS).toSorted());
  for (const [path, text] of refusing)
    assert.equal(text.includes('isOfAllRows: true'), REFUSALS[path] === 'all rows', path);
});
