/** One builder at a time, whatever happens to processes, clocks and answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { bytesOf, textOf } from '../../../src/storage/objects/changes.ts';
import { refuseStale, type Mark } from '../../../src/storage/mark.ts';
import { Lease } from '../../../src/storage/objects/lease.ts';
import { Actor, NO_TROUBLE, ScriptedWorld } from '../../support/stores/object-actors.ts';

const TTL_MS = 30_000;
const MINUTE_MS = 60_000;

interface Manifest {
  readonly count: number;
  readonly mark?: Mark;
}

interface Commit extends Mark {
  readonly atMs: number;
}

/** Builders of one store: each commits a generation every few seconds while it has the lease. */
class Builders {
  readonly world: ScriptedWorld;
  readonly actors: Actor[] = [];
  readonly leases: Lease[] = [];
  /** In the order in which they took effect. */
  readonly commits: Commit[] = [];
  readonly notes: string[] = [];
  readonly stops: AbortController[] = [];
  #newest: Manifest = { count: 0 };

  constructor(world: ScriptedWorld) {
    this.world = world;
  }

  start(rate = 1): number {
    const place = this.actors.length;
    const actor = new Actor(this.world, rate);
    const lease = new Lease({
      objects: actor.objects,
      key: 'lease.json',
      holder: `builder-${place}`,
      termAtLeast: () => this.#newest.mark?.term ?? 0,
      note: (sentence) => this.notes.push(`builder-${place}: ${sentence}`),
      clock: actor.clock,
    });
    const stop = new AbortController();
    this.actors.push(actor);
    this.leases.push(lease);
    this.stops.push(stop);
    const work = (_: Mark, signal: AbortSignal): Promise<void> => this.#build(actor, lease, signal);
    lease.run(work, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return place;
  }

  get held(): number[] {
    return [...this.leases.keys()].filter(
      (place) => this.leases[place]?.state.isHeld === true && this.actors[place]?.isDead === false,
    );
  }

  async #build(actor: Actor, lease: Lease, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      await this.#commit(actor, lease, signal).catch(() => undefined);
      await actor.clock.sleep(3000, signal);
    }
  }

  async #commit({ objects }: Actor, lease: Lease, signal: AbortSignal): Promise<void> {
    const found = await objects.fetch('manifest', signal);
    const last = found === undefined ? { count: 0 } : (JSON.parse(textOf(found.bytes)) as Manifest);
    const mark = lease.mark();
    refuseStale(last.mark, mark);
    const next = bytesOf(JSON.stringify({ count: last.count + 1, mark }));
    await objects.write(
      'manifest',
      next,
      found === undefined ? 'absent' : { version: found.version },
      signal,
    );
  }

  /** Takes up what was committed since. */
  look(): void {
    const found = this.world.objects.get('manifest');
    if (found === undefined) return;
    const now = JSON.parse(textOf(found.bytes)) as Manifest;
    if (now.count === this.#newest.count) return;
    assert.equal(now.count, this.#newest.count + 1, 'no commit replaces another');
    this.#newest = now;
    if (now.mark) this.commits.push({ ...now.mark, atMs: this.world.nowMs });
  }

  /** Terms only grow, and each is of one holder. */
  checkTerms(): void {
    for (const [i, { term, holder }] of this.commits.entries()) {
      const before = this.commits[i - 1];
      if (before === undefined) continue;
      assert.ok(before.term < term || (before.term === term && before.holder === holder));
    }
  }
}

function buildersIn(seed: number): Builders {
  const builders = new Builders(new ScriptedWorld(seed));
  builders.world.check = () => builders.look();
  return builders;
}

describe('the lease of a store', () => {
  test('is of one of two builders, and stays with it', async () => {
    const builders = buildersIn(1);
    builders.start();
    builders.start();
    const { world } = builders;
    world.check = () => {
      builders.look();
      assert.ok(builders.held.length <= 1);
    };
    await world.run(4 * MINUTE_MS);
    assert.deepEqual(new Set(builders.commits.map(({ term }) => term)), new Set([1]));
    assert.ok(builders.commits.length > 60);
    assert.match(
      builders.notes.join('\n'),
      /^builder-\d: this process builds from now on, in term 1$/,
    );
  });

  test('is taken over within a minute from a builder that died', async () => {
    const builders = buildersIn(2);
    const { world } = builders;
    builders.start();
    builders.start();
    await world.run(65_000);
    const [first = -1] = builders.held;
    builders.actors[first]?.kill();
    await world.run(65_000 + MINUTE_MS);
    const next = builders.commits.find(({ term }) => term === 2);
    assert.equal(next?.holder, `builder-${1 - first}`);
    assert.ok(next.atMs - 65_000 < MINUTE_MS && next.atMs - 65_000 > 0.6 * TTL_MS);
  });

  test('is given back at a clean end, so that another begins within seconds', async () => {
    const builders = buildersIn(3);
    const { world } = builders;
    builders.start();
    builders.start();
    await world.run(65_000);
    const [first = -1] = builders.held;
    builders.stops[first]?.abort(new Error('it ends'));
    await world.run(72_000);
    assert.deepEqual(builders.held, [1 - first]);
    assert.equal(builders.leases[1 - first]?.state.term, 2);
  });

  test('is lost by a process that stood still for longer, which commits nothing when it goes on', async () => {
    for (const isClockStill of [false, true]) {
      const builders = buildersIn(4);
      const { world } = builders;
      world.check = () => {
        builders.look();
        if (!isClockStill) assert.ok(builders.held.length <= 1, builders.held.join());
      };
      builders.start();
      builders.start();
      await world.run(65_000);
      const [first = -1] = builders.held;
      builders.actors[first]?.pause(2 * MINUTE_MS, isClockStill);
      await world.run(65_000 + 2 * MINUTE_MS + 1);
      const before = builders.commits.length;
      await world.run(65_000 + 4 * MINUTE_MS);
      builders.checkTerms();
      const after = builders.commits.slice(before).map(({ holder }) => holder);
      assert.deepEqual(new Set(after), new Set([`builder-${1 - first}`]));
      assert.match(
        builders.notes.join('\n'),
        new RegExp(`builder-${first}: this process builds no longer: .*`),
      );
      assert.throws(
        () => builders.leases[first]?.mark(),
        /may not build now: builder-\d has the lease/,
      );
    }
  });

  test('is taken again by a process that learns of it too late', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const builders = buildersIn(seed);
      const { world } = builders;
      builders.start();
      // Less than a process waits for an answer, more than it may build after it has sent.
      world.at(5 * seed, () => builders.actors[0]?.pause(0.9 * TTL_MS, false));
      await world.run(5 * MINUTE_MS);
      const calmMs = world.nowMs + 2 * MINUTE_MS;
      await world.run(calmMs + MINUTE_MS);
      builders.checkTerms();
      assert.ok(builders.commits.some(({ atMs }) => atMs > calmMs));
      for (const stop of builders.stops) stop.abort(new Error('the test ends'));
      await world.run(calmMs + 2 * MINUTE_MS);
    }
  });

  test('is damaged or removed by hand, and terms go on from the one that was committed', async () => {
    for (const damage of [undefined, bytesOf('{"holder":')]) {
      const builders = buildersIn(5);
      const { world } = builders;
      builders.start();
      builders.start();
      await world.run(65_000);
      world.objects.delete('lease.json');
      if (damage !== undefined) world.put('lease.json', damage, undefined);
      await world.run(65_000 + 2 * MINUTE_MS);
      builders.checkTerms();
      assert.ok((builders.commits.at(-1)?.term ?? 0) >= 2);
      assert.equal(builders.held.length, 1);
    }
  });
});

const fault = fc.record({
  atMs: fc.integer({ min: 0, max: 6 * MINUTE_MS }),
  what: fc.constantFrom('pause', 'freeze', 'kill', 'stop', 'start', 'trouble', 'calm'),
  actor: fc.nat({ max: 4 }),
  ms: fc.integer({ min: 1000, max: 90_000 }),
});

// A larger number searches longer.
const RUNS = Number(process.env['LEASE_RUNS'] ?? 12);

test('two builders never commit in one term or in turns, whatever processes, clocks and answers do', async () => {
  const rates = fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), { minLength: 2, maxLength: 3 }); // prettier-ignore
  const schedule = fc.array(fault, { maxLength: 14 });
  const given = fc.asyncProperty(fc.nat(), rates, schedule, async (seed, clocks, faults) => {
    const builders = buildersIn(seed);
    const { world } = builders;
    const hasFrozen = faults.some(({ what }) => what === 'freeze');
    world.check = () => {
      builders.look();
      // A clock that stood still with its machine does not know; commits are checked all the same.
      if (!hasFrozen)
        assert.ok(builders.held.length <= 1, `${builders.held.join()} at ${world.nowMs}`);
    };
    for (const rate of clocks) builders.start(rate);
    for (const each of faults) world.at(each.atMs, () => happen(builders, each));
    await world.run(8 * MINUTE_MS);
    world.trouble = NO_TROUBLE;
    builders.start();
    const calmMs = world.nowMs + 2 * MINUTE_MS;
    await world.run(calmMs + MINUTE_MS);
    builders.checkTerms();
    assert.ok(
      builders.commits.some(({ atMs }) => atMs > calmMs),
      'somebody builds again',
    );
    for (const stop of builders.stops) stop.abort(new Error('the test ends'));
    await world.run(calmMs + 2 * MINUTE_MS);
  });
  await fc.assert(given, { numRuns: RUNS });
});

function happen(
  builders: Builders,
  { what, actor, ms }: { what: string; actor: number; ms: number },
): void {
  const place = actor % builders.actors.length;
  const { world } = builders;
  if (what === 'pause' || what === 'freeze') builders.actors[place]?.pause(ms, what === 'freeze');
  if (what === 'kill') builders.actors[place]?.kill();
  if (what === 'stop') builders.stops[place]?.abort(new Error('it ends'));
  if (what === 'start' && builders.actors.length < 6) builders.start();
  if (what === 'calm') world.trouble = NO_TROUBLE;
  if (what === 'trouble') world.trouble = { lost: 0.3, late: 0.2, callMs: ms / 30, lateMs: ms };
}
