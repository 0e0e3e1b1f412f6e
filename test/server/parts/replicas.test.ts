/** Servers of one bucket as processes, of which some are killed. `REPLICA_KILLS` kills the builder more often. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startReplicas, until } from '../../support/servers/replicas.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';

const KILLS = Number(process.env['REPLICA_KILLS'] ?? 1);
const LEASE_MS = 3000;
const world = await startReplicas(['--now=2024-05-03T08:00:00Z', '--retention=1d', '--lease=3s']);
after(() => world.stop());

interface Readiness {
  readonly role: string;
  readonly builder: { readonly holder: string; readonly term: number; readonly isThis: boolean };
  readonly backfill?: { readonly done: number; readonly total: number };
}

async function readinessOf({ url }: ServerProcess): Promise<Readiness> {
  return (await (await fetch(`${url}/readyz?verbose`)).json()) as Readiness;
}

/** Generations that the store has come to. */
const generations = (): number =>
  [...world.script.files.keys()].filter((key) => key.includes('/manifest-')).length;

const DAY = 'window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z';
const QUESTIONS = [
  `/model/allocation?${DAY}&aggregate=namespace`,
  `/model/assets?${DAY}&aggregate=type`,
];

async function answersOf({ url }: ServerProcess): Promise<readonly unknown[]> {
  return await Promise.all(
    QUESTIONS.map(async (question) => {
      const answer = await fetch(url + question);
      return [answer.status, answer.headers.get('etag'), await answer.text()];
    }),
  );
}

test('a builder that is killed is followed by another, and all servers answer alike, with the same tags', async () => {
  const server = await world.start(['--role=serve']);
  let builder = await world.start(['--role=build', '--demo=true']);
  for (let kill = 1; kill <= KILLS; kill++) {
    const before = generations();
    await until(60_000, () => Promise.resolve(generations()), (now) => now > before);
    const { term } = (await readinessOf(builder)).builder;
    process.kill(builder.pid, 'SIGKILL');
    builder = await world.start(['--role=all', '--demo=true']);
    const next = await until(60_000, () => readinessOf(builder), (now) => now.builder.isThis);
    assert.ok(next.answer.builder.term > term);
    assert.ok(next.tookMs < 60_000 && next.tookMs < 20 * LEASE_MS);
  }
  const { answer } = await until(
    120_000,
    () => readinessOf(builder),
    ({ backfill }) => backfill !== undefined && backfill.total > 0 && backfill.done === backfill.total,
  );
  assert.equal(answer.role, 'all');
  const expected = await answersOf(builder);
  const answered = await until(
    20_000,
    () => answersOf(server),
    (now) => JSON.stringify(now) === JSON.stringify(expected),
  );
  for (const [status, tag] of answered.answer as readonly (readonly [number, string | null])[])
    assert.ok(status === 200 && tag !== null, `${status} ${tag}`);
  const isBuilder = async ({ url }: ServerProcess): Promise<string | undefined> =>
    /^prorata_builder ([01])$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  assert.deepEqual([await isBuilder(builder), await isBuilder(server)], ['1', '0']);
  const served = await readinessOf(server);
  assert.equal(served.role, 'serve');
  assert.equal(served.builder.holder, answer.builder.holder);
  // A server that ends at any moment takes nothing with it.
  process.kill(server.pid, 'SIGKILL');
  assert.deepEqual(await answersOf(builder), expected);
}); // prettier-ignore

const KINDS = [
  ...QUESTIONS,
  ...[
    'aggregate=label:app&shareIdle=true&accumulate=true',
    'format=csv',
    'aggregate=controller&filter=node!:"none"',
  ].map((query) => `/model/allocation?${DAY}&${query}`),
  `/model/savings/requestSizingV2?${DAY}&limit=20`,
  `/model/savings/abandonedWorkloads?${DAY}`,
];

test('P-C17: stored days that cannot be read for now are 503 with Retry-After, never an answer without them', async () => {
  const server = await world.start(['--role=serve']);
  // Columns alone: whether a set is damaged is found out by other requests.
  world.isFailing = ({ target, headers }) => target.includes('/sets/') && 'range' in headers;
  const refused = await Promise.all(KINDS.map((path) => asked(server, path)));
  world.isFailing = () => false;
  for (const [i, { status, retryAfter, text }] of refused.entries())
    assert.deepEqual([KINDS[i], status, retryAfter], [KINDS[i], 503, '5'], text);
  const other = await world.start(['--role=serve']);
  for (const path of KINDS) {
    const answer = await asked(server, path);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer, await asked(other, path));
  }
}); // prettier-ignore

interface Told {
  readonly status: number;
  readonly tag: string | null;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function asked({ url }: ServerProcess, path: string, body?: object): Promise<Told> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(url + path, init);
  const [tag, retryAfter] = [answer.headers.get('etag'), answer.headers.get('retry-after')];
  return { status: answer.status, tag, retryAfter, text: await answer.text() };
}

test('a collection that is made at one server is served by another, with the same tag, also without the bucket', async (t) => {
  const [one, other] = [await world.start(['--role=serve']), await world.start(['--role=serve'])];
  const made = await asked(one, '/model/collections', { name: 'Shop', category: 'Team' });
  assert.equal(made.status, 200, made.text);
  const path = `/model/collection?id=${(JSON.parse(made.text) as { id: string }).id}`;
  const seen = await until(20_000, () => asked(other, path), ({ status }) => status === 200);
  t.diagnostic(`served by the other ${Math.round(seen.tookMs)} ms after it was made`);
  assert.deepEqual(seen.answer, made);
  const again = { name: 'Shop', category: 'Team' };
  assert.equal((await asked(other, '/model/collections', again)).status, 409);
  world.cloud.outage = { status: 403 };
  const refused = await asked(other, '/model/collections', { name: 'Other' });
  assert.deepEqual([refused.status, refused.retryAfter], [503, '5'], refused.text);
  assert.deepEqual(await asked(other, path), made);
  delete world.cloud.outage;
  assert.equal((await asked(other, '/model/collections', { name: 'Other' })).status, 200);
}); // prettier-ignore

interface Events {
  readonly data: readonly { readonly properties: { readonly name: string } }[];
}

async function eventsOf(server: ServerProcess): Promise<Events['data']> {
  const { status, text } = await asked(server, '/model/audit/events');
  assert.equal(status, 200, text);
  return (JSON.parse(text) as Events).data;
}

test('cost events that a builder sees are told by servers that watch nothing, also when it is killed', async () => {
  const watched = '--cost-events-audit=true';
  const builder = await world.start(['--role=build', '--demo=true', watched]);
  const server = await world.start(['--role=serve', watched]);
  const seen = await until(60_000, () => eventsOf(server), (events) => events.length > 0);
  process.kill(builder.pid, 'SIGKILL');
  await builder.ended;
  const next = await world.start(['--role=serve', watched]);
  const told = await eventsOf(next);
  await until(20_000, () => eventsOf(server), (events) => JSON.stringify(events) === JSON.stringify(told));
  assert.deepEqual(told.slice(-seen.answer.length), seen.answer);
}); // prettier-ignore
