/** Where shared cost comes from: amounts by source that add up to it, also over sets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { querySet, type SetQuery } from '../../../src/allocation/query/set-query.ts';
import { accumulate } from '../../../src/allocation/query/sum-sets.ts';
import {
  compileKernels,
  createEngine,
  type Frame,
  type Texts,
} from '../../../src/columnar/index.ts';
import { parseQuery } from '../../../src/http/index.ts';
import { readShares } from '../../../src/allocation/params/filters.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { anyDay, anyQuery, tableOf } from '../../support/stores/set-days.ts';
import type { Alloc } from '../../support/references/set-query-reference.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);

interface Source {
  readonly name: string;
  readonly totalCost: number;
  readonly [kind: string]: number | string;
}

/** By name of the group: its shared cost, and the sources. */
function read({
  frame,
  texts,
}: {
  readonly frame: Frame;
  readonly texts: Texts;
}): Map<string, [number, Source[]]> {
  const shared = frame.columns.has('sharedCost') ? frame.f64('sharedCost') : [];
  return new Map(
    Array.from(frame.u32('name'), (name, row) => {
      const text = texts.text(frame.u32('sharedCostBreakdown')[row] ?? 0);
      const sources = text === '' ? {} : (JSON.parse(text) as Record<string, Source>);
      for (const [key, { name: own }] of Object.entries(sources)) assert.equal(own, key);
      return [texts.text(name), [shared[row] ?? 0, Object.values(sources)]];
    }),
  );
}

const row = (namespace: string, cpuCost: number, pvCost = 0): Alloc => ({
  cluster: 'c', node: 'n', namespace, pod: 'p', container: 'k', team: '', amounts: { cpuCost, pvCost },
}); // prettier-ignore

test('each namespace and overhead under its name, by kind', () => {
  const day = [row('a', 1), row('b', 3), row('sys', 4, 4), row('logs', 2)];
  const query: SetQuery = {
    keys: [{ kind: 'property', property: 'namespace' }],
    filter: null,
    share: readShares(parseQuery('shareNamespaces=sys,log*')),
    idle: true,
    shareIdle: false,
    splitIdle: false,
    idleByNode: false,
    external: false,
    shareSplit: 'weighted',
    overheads: [{ name: 'overheadCost', usd: 40 }],
    includeSharedCostBreakdown: true,
  };
  const costs = read(querySet(engine, TASK, [tableOf(engine.arena, TASK, day)], query));
  engine.arena.release(TASK);
  const none = { cpuCost: 0, gpuCost: 0, ramCost: 0, pvCost: 0, networkCost: 0, loadBalancerCost: 0, externalCost: 0 }; // prettier-ignore
  const [shared, sources] = costs.get('b') ?? [];
  assert.equal(shared, 37.5);
  assert.deepEqual(
    new Set(sources),
    new Set([
      { ...none, name: 'sys', totalCost: 6, cpuCost: 3, pvCost: 3 },
      { ...none, name: 'log*', totalCost: 1.5, cpuCost: 1.5 },
      { ...none, name: 'overheadCost', totalCost: 30 },
    ]),
  );
});

test('whatever is shared, sources add up to the shared cost, also over days', () => {
  fc.assert(
    fc.property(fc.array(anyDay, { minLength: 1, maxLength: 3 }), anyQuery, (days, asked) => {
      const query = { ...asked, includeSharedCostBreakdown: true };
      const own = days.map((day) =>
        day.map((one) => ({ ...one, amounts: { ...one.amounts, sharedCost: 0 } })),
      );
      const sets = own.map((day) => {
        const { frame, texts } = querySet(engine, TASK, [tableOf(engine.arena, TASK, day)], query);
        return { frame, texts: texts.store(engine.arena, TASK) };
      });
      for (const set of [...sets, accumulate(engine, TASK, sets, query)]) {
        for (const [name, [shared, sources]] of read(set)) {
          const sum = sources.reduce((all, { totalCost }) => all + totalCost, 0);
          const size = 1e-9 * (1 + Math.abs(shared));
          assert.ok(Math.abs(sum - shared) <= size, `${name}: ${sum} for ${shared}`);
        }
      }
      engine.arena.release(TASK);
    }),
    { numRuns: 100 },
  );
});
