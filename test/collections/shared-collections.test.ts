/**
 * Collections that several servers change at one time in a bucket, compared with what the bucket came to, write by
 * write. `SHARED_COLLECTION_RUNS` searches longer.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readAllocationFilter } from '../../src/allocation/index.ts';
import { readCloudFilter } from '../../src/billing/cloud/index.ts';
import type { Checked, Collection } from '../../src/collections/collection.ts';
import {
  openCollectionStore,
  openSharedCollections,
  Registry,
} from '../../src/collections/index.ts';
import { Fault, Unavailable } from '../../src/query/index.ts';
import { measured } from '../support/measured.ts';
import type { CloudAnswer, CloudRequest } from '../support/servers/scripted-cloud.ts';
import { startObjectWorld } from '../support/stores/object-stores.ts';
import { failed } from '../support/stores/s3-script.ts';

const RUNS = Number(process.env['SHARED_COLLECTION_RUNS'] ?? 6);
const FATES = ['done', 'refused', 'lost', 'cut'] as const;
type Fate = (typeof FATES)[number];

const state: { fate: (request: CloudRequest) => Fate } = { fate: () => 'done' };
/** Collections after each write that counted, in its order. */
const written: Collection[][] = [];
const world = await startObjectWorld((request, store): CloudAnswer => {
  const fate = state.fate(request);
  if (fate === 'refused') return failed(503, 'SlowDown');
  if (fate === 'cut') return { isCut: true };
  const answer = store();
  if (request.method === 'PUT' && answer.status === undefined) written.push(collectionsIn(request.body));
  return fate === 'lost' ? { isCut: true } : answer;
}); // prettier-ignore
after(() => world.stop());
const home = mkdtempSync(join(tmpdir(), 'prorata-shared-collections-'));
after(() => rmSync(home, { recursive: true, force: true }));

const readers = { kubernetes: readAllocationFilter, cloud: readCloudFilter };
const note = (sentence: string): unknown => world.notes.push(sentence);
let prefixes = 0;
const nextPrefix = (): string => `c${prefixes++}/`;

function collectionsIn(text: string): Collection[] {
  const { collections } = JSON.parse(text.slice(text.indexOf('\n'))) as {
    collections: Collection[];
  };
  return collections;
}

interface Server {
  readonly registry: Registry;
  close(): void;
}

async function start(prefix: string, folder?: string): Promise<Server> {
  const { bucket } = world;
  const store = await openSharedCollections({
    bucket,
    prefix,
    readers,
    folder,
    note,
    lookMs: 3_600_000,
  });
  return { registry: new Registry(store), close: () => store.close() };
}

/** @param mark unlike that of any other change */
function named(name: string, mark: string): Checked {
  const filterString = `namespace:"${mark}"`;
  const filter = readAllocationFilter(filterString, 'filter');
  return {
    draft: { name, category: '', groups: [{ selectors: { kubernetes: { kind: 'container', filterString } } }] },
    groups: [{ kubernetes: [filter], cloud: [] }],
  };
} // prettier-ignore

interface Step {
  readonly server: number;
  readonly kind: 'create' | 'replace' | 'remove';
  readonly name: string;
}

/** What became of a change: what it made of which collection, or why it was refused. */
interface Outcome {
  readonly step: Step;
  readonly change: string;
  readonly error?: unknown;
}

/** As `told` below tells the change of one write. */
const toldOf = (id: string, after: Collection | undefined): string =>
  `${id} ${after === undefined ? 'removed' : JSON.stringify(after)}`;

async function made(registry: Registry, step: Step, mark: string): Promise<Outcome> {
  const { kind, name } = step;
  const aim = registry.list().find(({ collection }) => collection.name === name)?.collection;
  const id = aim?.id ?? '00000000-0000-4000-8000-000000000000';
  try {
    if (kind === 'remove') {
      await registry.remove(id);
      return { step, change: toldOf(id, undefined) };
    }
    const checked = named(kind === 'create' ? name : `${name}'`, mark);
    const after =
      kind === 'create'
        ? await registry.create(checked)
        : await registry.replace(id, { ...checked, draft: { ...checked.draft, name } });
    return { step, change: toldOf(after.id, after) };
  } catch (error) {
    return { step, change: mark, error };
  }
}

/** The one change of each write. */
function told(writes: readonly (readonly Collection[])[]): string[] {
  return writes.map((after, i) => {
    const before = new Map((writes[i - 1] ?? []).map((each) => [each.id, each]));
    const changed = after.filter((each) => JSON.stringify(each) !== JSON.stringify(before.get(each.id)));
    const removed = [...before.keys()].filter((id) => !after.some((each) => each.id === id));
    const all = [...changed.map((each) => toldOf(each.id, each)), ...removed.map((id) => toldOf(id, undefined))];
    assert.equal(all.length, 1, `write ${i} makes one change: ${all.join(' | ')}`);
    return all[0] ?? '';
  });
} // prettier-ignore

/** The status of each refusal is that of one server alone, by what some write had come to. */
function checkRefusal({ step, error }: Outcome): void {
  assert.ok(error instanceof Fault, String(error));
  const hadName = [[], ...written].some((all) => all.some(({ name }) => name === step.name));
  assert.equal(error.status, step.kind === 'create' ? 409 : 404, error.message);
  if (step.kind === 'create') assert.ok(hadName, `${step.name} was there`);
}

const steps = fc.array(
  fc.record({
    server: fc.nat({ max: 2 }),
    kind: fc.constantFrom('create', 'create', 'create', 'replace', 'remove'),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  }) as fc.Arbitrary<Step>,
  { minLength: 8, maxLength: 18 },
);
/** So many changes at one time; the next ones come when they are made. */
const WAVE = 6;
/** Refusals in a row that no request gets past. */
const OUTAGE = Array.from({ length: 15 }, (): Fate => 'refused');
const fates = fc.array(
  fc.oneof(
    { weight: 20, arbitrary: fc.constant<Fate[]>(['done', 'done']) },
    { weight: 6, arbitrary: fc.constantFrom(...FATES).map((fate) => [fate]) },
    { weight: 1, arbitrary: fc.constant(OUTAGE) },
  ),
  { minLength: 20, maxLength: 60 },
);

test('P-C15: each change of several servers at one time counts once, in one order, or is refused as by one', async (t) => {
  const counts = { acknowledged: 0, refused: 0, inDoubt: 0 };
  await fc.assert(
    fc.asyncProperty(steps, fates, async (changes, planned) => {
      const prefix = nextPrefix();
      const servers = await Promise.all([0, 1, 2].map(() => start(prefix)));
      written.length = 0;
      const next = planned.flat();
      state.fate = () => next.shift() ?? 'done';
      const outcomes: Outcome[] = [];
      for (let first = 0; first < changes.length; first += WAVE) {
        const wave = changes.slice(first, first + WAVE).map(async (step, i) => {
          const server = servers[step.server];
          assert.ok(server);
          return await made(server.registry, step, `mark-${String(first + i).padStart(2, "0")}`);
        });
        outcomes.push(...(await Promise.all(wave)));
      }
      state.fate = () => 'done';
      const order = told(written);
      for (const outcome of outcomes) {
        const { change, error } = outcome;
        const times = order.filter((each) => each.includes(change)).length;
        counts[error === undefined ? 'acknowledged' : error instanceof Unavailable ? 'inDoubt' : 'refused']++;
        if (error === undefined) assert.equal(times, 1, `acknowledged: ${change}`);
        else if (error instanceof Unavailable) assert.ok(times <= 1, `in doubt: ${change}`);
        else {
          assert.equal(times, 0, `refused: ${change}`);
          checkRefusal(outcome);
        }
      }
      const last = await start(prefix);
      assert.deepEqual(last.registry.list().map(({ collection }) => collection), written.at(-1) ?? []);
      for (const each of [...servers, last]) each.close();
    }),
    { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true },
  );
  const { acknowledged, refused, inDoubt } = counts;
  measured(t, 'P-C15', `${RUNS} schedules: ${acknowledged} changes acknowledged, ${refused} refused, ${inDoubt} in doubt`);
}); // prettier-ignore

const CHANGES: readonly ((registry: Registry) => Promise<unknown>)[] = [
  (registry) => registry.create(named('a', 'one')),
  (registry) => registry.create(named('b', 'two')),
  (registry) => registry.replace(idOf(registry, 'a'), named('c', 'three')),
  (registry) => registry.remove(idOf(registry, 'b')),
];
const STATES = ['', 'a', 'a b', 'c b', 'c'];

function idOf(registry: Registry, name: string): string {
  const found = registry.list().find(({ collection }) => collection.name === name);
  return found?.collection.id ?? '';
}

function namesOf({ registry }: Server): string {
  return registry
    .list()
    .map(({ collection }) => collection.name)
    .join(' ');
}

/** The changes until the process ends at a request. @returns the requests, and how many changes ended before */
async function until(prefix: string, last: number, isDone: boolean): Promise<[number, number]> {
  let [requests, count] = [0, 0];
  const server = await start(prefix);
  state.fate = () => {
    requests++;
    if (requests < last) return 'done';
    return requests === last && isDone ? 'lost' : 'cut';
  };
  for (const change of CHANGES) {
    const error: unknown = await change(server.registry).catch((cause: unknown) => cause);
    if (error instanceof Error) {
      assert.ok(error instanceof Unavailable, error.message);
      break;
    }
    count++;
  }
  state.fate = () => 'done';
  server.close();
  return [requests, count];
}

test('a server that ends at any request to the bucket leaves the collections before a change or after it', async () => {
  const [requests] = await until(nextPrefix(), Infinity, false);
  assert.equal(requests, 8, 'two a change');
  for (let last = 1; last <= requests; last++) {
    for (const isDone of [false, true]) {
      const prefix = nextPrefix();
      const [, count] = await until(prefix, last, isDone);
      const next = await start(prefix);
      const expected = [STATES[count], STATES[count + 1]];
      const found = namesOf(next);
      assert.ok(expected.includes(found), `ended at ${last}: '${found}', not ${expected.join(' | ')}`);
      next.close();
    }
  }
}); // prettier-ignore

test('a change meant for a collection as it was is refused where another server changed it', async () => {
  const prefix = nextPrefix();
  const [one, other] = [await start(prefix), await start(prefix)];
  const { id } = await one.registry.create(named('a', 'first'));
  const known = one.registry.get(id).json;
  // It has not looked yet, and does so first.
  await other.registry.replace(id, named('a', 'second'));
  const records: unknown[] = [];
  const record = (change: unknown): Promise<void> => Promise.resolve(void records.push(change));
  await assert.rejects(
    one.registry.replace(id, named('a', 'third'), record, (json) => json === known),
    { status: 412 },
  );
  await assert.rejects(one.registry.create(named('a', 'fourth'), record), { status: 409 });
  assert.deepEqual(records, []);
  await one.registry.setIdle('shareByNode');
  await other.registry.remove(id, record);
  assert.equal(records.length, 1);
  assert.deepEqual([other.registry.idle, other.registry.list()], ['shareByNode', []]);
  for (const each of [one, other]) each.close();
});

test('collections of a data folder become those of the bucket, where it has none', async () => {
  const stored = async (folder: string, name: string): Promise<string> => {
    const store = await openCollectionStore({ folder, readers, nowMs: () => 7, note });
    await new Registry(store).create(named(name, name));
    return folder;
  };
  const [first, second] = [await stored(join(home, 'a'), 'a'), await stored(join(home, 'b'), 'b')];
  const prefix = nextPrefix();
  for (const folder of [first, second, undefined]) {
    const server = await start(prefix, folder);
    assert.equal(namesOf(server), 'a');
    server.close();
  }
  assert.equal(world.notes.length, 1);
  assert.match(world.notes[0] ?? '', /a\/collections\.json are in the store now, which has had none$/);
}); // prettier-ignore
