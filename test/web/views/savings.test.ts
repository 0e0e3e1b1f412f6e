/** The list of savings, and what lowering requests saves and risks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvOfList, type SavedColumn } from '../../../src/web/parts/columns.ts';
import { KINDS, ranked } from '../../../src/web/views/savings/ranked.ts';
import {
  lowering,
  namespacesOf,
  sizingOf,
  stepsOf,
  type Plan,
  type Recommendation,
} from '../../../src/web/views/savings/sizing.ts';

const saving = fc.double({ min: -1e6, max: 1e6, noNaN: true });

test('savings are listed by what they save, each kind once, and add up to what the answer says', () => {
  const answers = fc.dictionary(
    fc.constantFrom(...KINDS.map(({ id }) => id), 'somethingNew'),
    fc.record({ savingsPerMonth: saving, savingsPerMonthAlone: saving }),
  );
  fc.assert(
    fc.property(answers, (data) => {
      const rows = ranked(data);
      const known = Object.keys(data).filter((id) => id !== 'somethingNew');
      assert.deepEqual(rows.map(({ kind }) => kind.id).toSorted(), known.toSorted());
      for (const [i, { saves }] of rows.entries())
        assert.ok(saves <= (rows[i - 1]?.saves ?? Infinity));
    }),
  );
});

interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

function recommended(
  [from, to, average, most]: readonly [Amounts, Amounts, Amounts, Amounts],
  controllerKind: string = 'deployment',
  monthlySavings: Amounts = { cpu: from.cpu - to.cpu, memory: from.memory - to.memory },
): Recommendation {
  const amounts = ({ cpu, memory }: Amounts) => ({ cpuInMilliCores: cpu, memoryInMiB: memory });
  return {
    clusterID: 'one',
    namespace: 'web',
    controllerKind,
    controllerName: 'shop',
    containerName: 'app',
    recommendedRequest: { cpu: `${to.cpu}m`, memory: `${to.memory}Mi` },
    monthlySavings,
    normalizedLatestKnownRequest: amounts(from),
    normalizedRecommendedRequest: amounts(to),
    normalizedAverageUsage: amounts(average),
    normalizedMaxUsage: amounts(most),
  };
}

const BEFORE = { cpu: 1000, memory: 1000 };
const RISKS: readonly (readonly [
  name: string,
  to: Amounts,
  average: Amounts,
  most: Amounts,
  kind: string,
  risk: string,
])[] = [
  ['more than was ever used', { cpu: 500, memory: 500 }, { cpu: 100, memory: 100 }, { cpu: 500, memory: 400 }, 'deployment', 'low'],
  ['less CPU than the most', { cpu: 500, memory: 1000 }, { cpu: 100, memory: 100 }, { cpu: 501, memory: 400 }, 'deployment', 'medium'],
  ['less CPU than the average', { cpu: 99, memory: 1000 }, { cpu: 100, memory: 100 }, { cpu: 500, memory: 400 }, 'deployment', 'high'],
  ['little more memory than the most', { cpu: 1000, memory: 499 }, { cpu: 100, memory: 100 }, { cpu: 500, memory: 400 }, 'deployment', 'medium'],
  ['less memory than the most', { cpu: 1000, memory: 399 }, { cpu: 100, memory: 100 }, { cpu: 500, memory: 400 }, 'deployment', 'high'],
  ['a stateful set', { cpu: 500, memory: 1000 }, { cpu: 100, memory: 100 }, { cpu: 400, memory: 400 }, 'statefulset', 'medium'],
  ['nothing is lowered', { cpu: 1000, memory: 1000 }, { cpu: 2000, memory: 100 }, { cpu: 4000, memory: 400 }, 'statefulset', 'low'],
]; // prettier-ignore

for (const [name, to, average, most, kind, risk] of RISKS)
  test(`a request that is lowered has its risk: ${name}`, () => {
    const sizing = sizingOf(recommended([BEFORE, to, average, most], kind));
    assert.equal(sizing.risk, risk, sizing.why);
  });

test('what is raised costs, what is lowered saves, and only what saves is offered', () => {
  const mixed = sizingOf(
    recommended([BEFORE, { cpu: 400, memory: 1500 }, BEFORE, BEFORE], 'deployment', { cpu: 6, memory: -5 }),
  ); // prettier-ignore
  assert.deepEqual([mixed.loweringSaves, mixed.raisingCosts], [6, 5]);
  const raised = sizingOf(recommended([BEFORE, { cpu: 2000, memory: 1000 }, BEFORE, BEFORE]));
  assert.deepEqual(lowering([raised, mixed]), [mixed]);
});

test('a plan shows what it lowers of what is known, and nothing that it leaves as it is', () => {
  const sizing = sizingOf(recommended([BEFORE, { cpu: 400, memory: 800 }, BEFORE, BEFORE]));
  const plan = (cpu: number, memoryMiB: number): Plan => ({
    one: {
      web: [
        {
          Name: 'shop',
          Kind: 'deployment',
          ContainerPlans: {
            app: {
              TargetCPURequestMillicores: cpu,
              TargetRAMRequestBytes: memoryMiB * 2 ** 20,
            },
            unknown: { TargetCPURequestMillicores: 1, TargetRAMRequestBytes: 1 },
          },
        },
      ],
    },
  });
  const shown = (cpu: number, memory: number): string[] =>
    stepsOf(plan(cpu, memory), [sizing]).map(
      ({ resource, from, to }) => `${resource} ${from} ${to}`,
    );
  assert.deepEqual(shown(400, 800), ['cpu 1000 400', 'memory 1000 800']);
  assert.deepEqual(shown(0, 1000), []);
  assert.deepEqual(shown(1000, 999), ['memory 1000 999']);
  assert.deepEqual(namespacesOf(plan(1, 1)), ['web']);
});

test('a list is saved as CSV that a spreadsheet does not run', () => {
  const columns: readonly SavedColumn<readonly [string, number]>[] = [
    { title: 'name', value: ([name]) => name },
    { title: 'a month', value: ([, usd]) => usd },
  ];
  const rows = [['=cmd()', -1.5], ['a,"b"', 2]] as const; // prettier-ignore
  assert.equal(csvOfList(columns, rows), 'name,a month\n\'=cmd(),-1.5\n"a,""b""",2\n');
});
