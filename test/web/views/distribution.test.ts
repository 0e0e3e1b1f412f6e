/** What a container used: quantiles as they are asked for and read, bands as they are drawn. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ALLOCATION_FILTER } from '../../../src/allocation/index.ts';
import { matchesFilter, parseFilter } from '../../../src/query/index.ts';
import { bandsOf, levelsOf, quantileIn, quantilePath } from '../../../src/web/views/savings/distribution.ts'; // prettier-ignore
import type { Recommendation } from '../../../src/web/views/savings/sizing.ts';

const AMOUNTS = { cpuInMilliCores: 120, memoryInMiB: 64 };

function recommendation(more: Partial<Recommendation> = {}): Recommendation {
  return {
    clusterID: 'c',
    namespace: 'web',
    controllerKind: 'deployment',
    controllerName: 'front',
    containerName: 'app',
    recommendedRequest: { cpu: '120m', memory: '64Mi' },
    monthlySavings: { cpu: 0, memory: 0 },
    normalizedRecommendedRequest: AMOUNTS,
    normalizedLatestKnownRequest: AMOUNTS,
    normalizedAverageUsage: AMOUNTS,
    normalizedMaxUsage: AMOUNTS,
    ...more,
  };
}

test('the filter of a container selects it and no other, whatever it is called', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(name, name, (containerName, other) => {
      const path = quantilePath(recommendation({ containerName }), '7d', 0.95);
      const query = new URLSearchParams(path.slice(path.indexOf('?')));
      const text = query.get('filter') ?? '';
      const filter = parseFilter(text, { parameter: 'filter', ...ALLOCATION_FILTER });
      assert.ok(filter !== null);
      const own: Readonly<Record<string, string>> = {
        cluster: 'c',
        namespace: 'web',
        controllerKind: 'deployment',
        controllerName: 'front',
      };
      const has = (container: string): boolean =>
        matchesFilter(filter, (field) => own[field] ?? container);
      assert.deepEqual([has(containerName), has(other)], [true, other === containerName]);
      assert.deepEqual(
        ['qCPU', 'qRAM', 'targetCPUUtilization', 'minRecCPUMillicores'].map((each) =>
          query.get(each),
        ),
        ['0.95', '0.95', '1', '0'],
      );
    }),
  );
});

test('a quantile is that of the container, not of others of its pod', () => {
  const other = { ...AMOUNTS, cpuInMilliCores: 7 };
  const answer = {
    Recommendations: [
      recommendation({ containerName: 'sidecar', normalizedRecommendedRequest: other }),
      recommendation(),
    ],
  };
  assert.equal(quantileIn(answer, recommendation(), 'cpu'), 120);
  assert.equal(quantileIn(answer, recommendation(), 'memory'), 64);
  assert.equal(quantileIn(answer, recommendation({ namespace: 'x' }), 'cpu'), undefined);
  assert.equal(quantileIn(undefined, recommendation(), 'cpu'), undefined);
});

test('bands follow each other from 0 to the most, also where quantiles are a little off', () => {
  const value = fc.nat({ max: 500 });
  fc.assert(
    fc.property(value, value, value, (p50, p95, most) => {
      const bands = bandsOf(most, p50, p95);
      let end = 0;
      for (const { from, to } of bands) {
        assert.equal(from, end);
        assert.ok(to > from);
        end = to;
      }
      assert.equal(end, most);
    }),
  );
  assert.deepEqual(bandsOf(9, undefined, 5), []);
});

test('levels are told from what is used on average to what is recommended', () => {
  const change = {
    resource: 'cpu',
    from: 200,
    to: 120,
    average: 40,
    most: 90,
    savings: 1,
  } as const;
  const values = levelsOf(change, [35, 80, undefined]).map(({ value }) => value);
  assert.deepEqual(values, [40, 35, 80, undefined, 90, 200, 120]);
  assert.equal(levelsOf(change, [35, 80, 91])[3]?.value, 90);
});
