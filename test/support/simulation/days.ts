/** Stored days against what they truly cost: sealed ones never change, none is lost, and sums are conserved. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SetInfo, Sets } from '../../../src/storage/index.ts';
import { sumsBy } from '../stores/builds.ts';
import { costOf, costOfNodes, DAY_MS, DAYS, HOUR_MS, START_MS, type Fleet } from './fleet.ts';
import type { Machine } from './process.ts';

const COSTS = ['cpuCost', 'ramCost'];
const EXCEEDED = /^allocations exceed their nodes by \$(\S+): /;

interface Sealed {
  readonly digest: string;
}

export class Days {
  readonly #fleet: Fleet;
  readonly #machine: Machine;
  readonly #sealed: Map<number, Sealed> = new Map();

  constructor(fleet: Fleet, machine: Machine) {
    this.#fleet = fleet;
    this.#machine = machine;
  }

  /** The end of the days that are sealed without a hole. */
  get sealedUntilMs(): number {
    let endMs = this.#fleet.firstMs;
    while (this.#sealed.has(endMs)) endMs += DAY_MS;
    return endMs;
  }

  async check(sets: Sets, trueMs: number): Promise<void> {
    const infos = sets.list('allocations').filter(({ key }) => key.endMs - key.startMs === DAY_MS);
    const there = new Map(infos.map((info) => [info.key.startMs, info]));
    assert.equal(there.size, infos.length, 'each day is stored once');
    for (const [startMs, { digest }] of this.#sealed) {
      const info = there.get(startMs);
      assert.equal(info?.meta.state, 'sealed', `${dateOf(startMs)} was sealed, and is so no more`);
      assert.equal(digestOf(sets, info), digest, `${dateOf(startMs)} was sealed, and changed`);
    }
    for (const info of infos) {
      const { startMs } = info.key;
      if (info.meta.state !== 'sealed' || this.#sealed.has(startMs)) continue;
      this.#sealed.set(startMs, { digest: digestOf(sets, info) });
      await this.#checkCosts(sets, info, trueMs);
    }
  }

  checkWhole(): void {
    const days = Array.from({ length: DAYS }, (_, day) => START_MS + day * DAY_MS);
    const { firstMs } = this.#fleet;
    const lacking = days.filter((startMs) => startMs >= firstMs && !this.#sealed.has(startMs));
    assert.deepEqual(lacking.map(dateOf), [], 'days that are not sealed at the end');
  }

  async #checkCosts(sets: Sets, info: SetInfo, trueMs: number): Promise<void> {
    const { startMs, endMs } = info.key;
    const day = dateOf(startMs);
    assert.ok(endMs + HOUR_MS <= trueMs, `${day} is sealed before its samples have come`);
    const { owners } = this.#machine.engine.compute;
    const owner = owners.take();
    try {
      const rows = (await sets.read(info.key, owner))?.table;
      const assets = (await sets.read({ ...info.key, kind: 'assets' }, owner))?.table;
      assert.ok(rows !== undefined && assets !== undefined, `${day} has rows and assets`);
      const costs = sumsBy(rows, COSTS, (text) => text('pod') || '__idle__');
      const usdOf = (name: string): number =>
        COSTS.reduce((sum, of) => sum + (costs.get(name)?.[of] ?? 0), 0);
      for (const life of this.#fleet.lives) {
        assertNear(usdOf(life.pod), costOf(life, startMs, endMs, trueMs), `${life.pod} on ${day}`);
      }
      const known = new Set(['__idle__', ...this.#fleet.lives.map(({ pod }) => pod)]);
      const strangers = [...costs.keys()].filter((name) => !known.has(name));
      assert.deepEqual(strangers, [], `pods on ${day} that nobody has`);
      const nodes = sumsBy(assets, ['cost'], (text) => text('type')).get('Node')?.['cost'] ?? 0;
      assertNear(nodes, costOfNodes(this.#fleet, (endMs - startMs) / HOUR_MS), `nodes of ${day}`);
      const over = info.meta.warnings.reduce(
        (sum, text) => sum + Number(EXCEEDED.exec(text)?.[1] ?? 0),
        0,
      );
      const all = [...costs.keys()].reduce((sum, name) => sum + usdOf(name), 0);
      assertNear(all - over, nodes, `allocations and idle less what exceeds nodes, on ${day}`);
    } finally {
      owners.free(owner);
    }
  }
}

function digestOf(sets: Sets, info: SetInfo): string {
  const stored = sets.locate(info.key);
  assert.ok(stored !== undefined && 'path' in stored.place, 'a stored set has a file');
  return createHash('sha256').update(readFileSync(stored.place.path)).digest('hex');
}

function assertNear(actual: number, expected: number, what: string): void {
  const isNear = Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected));
  assert.ok(isNear, `${what}: ${actual}, not ${expected}`);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
