/** Cost events that several servers see at one time and store in a bucket. `SHARED_EVENT_RUNS` searches longer. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { EVENTS_MAX, SharedEvents } from '../../src/audit/index.ts';
import { costEvent, type CostEvent } from '../../src/audit/cost-event.ts';
import { measured } from '../support/measured.ts';
import { until } from '../support/servers/replicas.ts';
import type { CloudAnswer, CloudRequest } from '../support/servers/scripted-cloud.ts';
import { startObjectWorld } from '../support/stores/object-stores.ts';
import { failed } from '../support/stores/s3-script.ts';

const RUNS = Number(process.env['SHARED_EVENT_RUNS'] ?? 6);
const FATES = ['done', 'refused', 'lost', 'cut'] as const;
type Fate = (typeof FATES)[number];

const state: { fate: (request: CloudRequest) => Fate } = { fate: () => 'done' };
/** Names of the workloads of each write that counted. */
const written: string[][] = [];
const world = await startObjectWorld((request, store): CloudAnswer => {
  const fate = state.fate(request);
  if (fate === 'refused') return failed(503, 'SlowDown');
  if (fate === 'cut') return { isCut: true };
  const answer = store();
  if (request.method === 'PUT' && answer.status === undefined) written.push(namesIn(request.body));
  return fate === 'lost' ? { isCut: true } : answer;
});
after(() => world.stop());

let prefixes = 0;
const nextPrefix = (): string => `e${prefixes++}/`;

function namesIn(text: string): string[] {
  const { events } = JSON.parse(text.slice(text.indexOf('\n'))) as {
    events: { event: CostEvent }[];
  };
  return events.map(({ event }) => event.properties.name);
}

function eventOf(name: string, atNs: number): CostEvent {
  const workload = { namespace: 'shop', name, cpuNanos: 10n ** 9n, ramNanos: 0n, gpus: 0 };
  const observed = {
    eventType: 'add',
    resourceType: 'deployment',
    cluster: 'one',
    workload,
  } as const;
  return costEvent({ ...observed, atNs: BigInt(atNs) }, { cpuCores: 1, ramBytes: 0, gpus: 0 });
}

async function open(prefix: string, earlier: readonly CostEvent[] = []): Promise<SharedEvents> {
  return await SharedEvents.open({
    bucket: world.bucket,
    prefix,
    earlier,
    isFollowing: false,
    gatherMs: 1,
    againMs: 1,
    note: (sentence) => world.notes.push(sentence),
  });
}

const namesOf = ({ latest }: SharedEvents): string[] =>
  latest.map(({ properties }) => properties.name);

interface Seen {
  /** The servers that see it, in this order. */
  readonly servers: readonly number[];
  /** Nothing follows at once: what was seen is stored before. */
  readonly isLastOfWave: boolean;
  /** Milliseconds until the next: changes may be under way. */
  readonly restMs: number;
}

const seen: fc.Arbitrary<Seen[]> = fc.array(
  fc.record({
    servers: fc.shuffledSubarray([0, 1, 2], { minLength: 1 }),
    isLastOfWave: fc.boolean(),
    restMs: fc.nat({ max: 6 }),
  }),
  { minLength: 4, maxLength: 14 },
);
const fates = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Fate>('done') },
    { weight: 1, arbitrary: fc.constantFrom(...FATES) },
  ),
  { minLength: 10, maxLength: 50 },
);

test('P-C16: each cost event that several servers of a bucket see is stored once, and none is lost', async (t) => {
  let writes = 0;
  await fc.assert(
    fc.asyncProperty(seen, fates, async (steps, planned) => {
      const prefix = nextPrefix();
      const servers = await Promise.all([0, 1, 2].map(() => open(prefix)));
      written.length = 0;
      const next = [...planned];
      state.fate = () => next.shift() ?? 'done';
      for (const [at, step] of steps.entries()) {
        for (const [later, index] of step.servers.entries())
          servers[index]?.add(`add-${at}`, eventOf(`w${at}`, 1000 * at + later));
        await sleep(step.restMs);
        if (step.isLastOfWave) await Promise.all(servers.map((server) => server.stored()));
      }
      await Promise.all(servers.map((server) => server.stored()));
      state.fate = () => 'done';
      const all = steps.map((_, at) => `w${at}`);
      for (const [i, names] of written.entries()) {
        const before = written[i - 1] ?? [];
        assert.ok(
          before.every((name) => names.includes(name)),
          `write ${i} loses none`,
        );
        assert.equal(new Set(names).size, names.length, `write ${i} has none twice`);
      }
      writes += written.length;
      const last = await open(prefix);
      assert.deepEqual(namesOf(last), all, 'in the order of time');
      for (const server of servers) {
        await server.look();
        assert.deepEqual(server.latest, last.latest);
      }
      for (const server of [...servers, last]) await server.close();
    }),
    { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true },
  );
  measured(t, 'P-C16', `${RUNS} schedules, ${writes} writes`);
});

test('the 1,000 latest events of all servers stay, and many at once are few writes', async () => {
  const prefix = nextPrefix();
  const [one, other] = [await open(prefix), await open(prefix)];
  written.length = 0;
  for (let i = 0; i < EVENTS_MAX + 200; i++)
    (i % 2 === 0 ? one : other).add(`add-${i}`, eventOf(`w${i}`, i));
  await Promise.all([one.stored(), other.stored()]);
  await Promise.all([one.look(), other.look()]);
  const expected = Array.from({ length: EVENTS_MAX }, (_, i) => `w${i + 200}`);
  assert.deepEqual([namesOf(one), namesOf(other)], [expected, expected]);
  assert.ok(written.length <= 4, `${written.length} writes`);
  const { content = '' } = world.script.files.get(`${prefix}cost-events.json`) ?? {};
  assert.ok(Buffer.byteLength(content) < 1 << 20);
  // What another server stored is not written again.
  written.length = 0;
  one.add('add-300', eventOf('w300', 300));
  await one.stored();
  assert.equal(written.length, 0);
  await Promise.all([one.close(), other.close()]);
});

test('events of a data folder become those of a bucket that has none, once', async () => {
  const prefix = nextPrefix();
  const one = await open(prefix, [eventOf('a', 1), eventOf('b', 2)]);
  const other = await open(prefix, [eventOf('c', 1)]);
  assert.deepEqual(
    [namesOf(one), namesOf(other)],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
  await Promise.all([one.close(), other.close()]);
});

test('events wait while the bucket does not answer, and a server that ends stores them before', async () => {
  const prefix = nextPrefix();
  const server = await open(prefix);
  let asked = 0;
  state.fate = () => {
    asked++;
    return 'cut';
  };
  server.add('add-1', eventOf('a', 1));
  await until(
    20_000,
    () => Promise.resolve(asked),
    (times) => times > 12,
  );
  assert.deepEqual(server.latest, []);
  assert.ok(world.notes.some((note) => note.startsWith('cost events wait to be stored')));
  state.fate = () => 'done';
  server.add('delete-1', eventOf('a', 2));
  await server.close();
  const next = await open(prefix);
  assert.deepEqual(namesOf(next), ['a', 'a']);
  await next.close();
});
