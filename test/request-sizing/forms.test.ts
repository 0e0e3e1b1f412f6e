/** Endpoint 7 over real sockets: what can be asked of recommendations, and what is refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  DAY_MS,
  ran,
  sizingServers,
  TODAY_MS,
  yesterday,
  type Answer,
} from '../support/servers/sizing-server.ts';

const { ask, start, text } = sizingServers();

describe('containers of an answer, and its form', () => {
  const rows = [
    ran('a', { controller: 'api', namespace: 'shop', usdPerCoreHour: 1, labels: '{"team":"red"}' }),
    ran('b', { controller: 'db', kind: 'statefulset', namespace: 'data', usdPerCoreHour: 2 }),
    ran('c', { controller: 'api', container: 'proxy', namespace: 'shop', cpuUsed: [0.4] }),
  ];
  const names = ({ Recommendations }: Answer): string[] =>
    Recommendations.map((each) => `${each.controllerName}/${each.containerName}`);

  for (const [query, expected] of [
    ['filter=namespace:"shop"', ['api/app', 'api/proxy']],
    ['filterControllerKinds=statefulset', ['db/app']],
    ['filterControllers=deployment:api&filterContainers=p*', ['api/proxy']],
    ['filter=pod:"b"|label[team]:"red"', ['db/app', 'api/app']],
    ['filterPods=c', ['api/proxy']],
    ['filter=namespace:"nowhere"', []],
    ['sortBy=cpuRecommended', ['api/proxy', 'api/app', 'db/app']],
    ['sortBy=cpuRecommended&sortByOrder=ascending', ['db/app', 'api/app', 'api/proxy']],
    ['sortBy=totalSavings&sortByOrder=asc', ['api/proxy', 'api/app', 'db/app']],
  ] as const) {
    test(`${query} gives ${expected.join(', ') || 'none'}`, async () => {
      const answer = await ask(
        [yesterday(...rows)],
        `requestSizingV2?window=yesterday&${encodeURI(query)}`,
      );
      // Equal ones come in order of their names.
      assert.deepEqual(names(answer).toSorted(), [...expected].toSorted());
      if (expected.length === 3)
        assert.equal(
          names(answer)[query.includes('asc') ? 2 : 0],
          expected[query.includes('asc') ? 2 : 0],
        );
      assert.equal(answer.Count, expected.length);
    });
  }

  test('a page is of the whole order, and all are counted', async () => {
    const all = await ask([yesterday(...rows)], 'requestSizingV2?window=yesterday');
    const page = await ask(
      [yesterday(...rows)],
      'requestSizingV2?window=yesterday&offset=1&limit=1',
    );
    assert.deepEqual(page.Recommendations, all.Recommendations.slice(1, 2));
    assert.equal(page.Count, 3);
    assert.equal(page.TotalMonthlySavings, all.TotalMonthlySavings);
  });

  test('a topline has the totals and no rows', async () => {
    const all = await ask([yesterday(...rows)], 'requestSizingV2?window=yesterday');
    const topline = await ask([yesterday(...rows)], 'requestSizingV2/topline?window=yesterday');
    assert.deepEqual(topline, { ...all, Recommendations: null });
    for (const shape of ['array', 'object']) {
      const path = `requestSizingV2/topline?window=yesterday&shape=${shape}`;
      assert.deepEqual(await ask([yesterday(...rows)], path), topline, shape);
    }
  });

  test('V1 has the containers of each controller besides', async () => {
    const { controllers } = await ask(
      [yesterday(...rows)],
      'requestSizing?window=yesterday&targetCPUUtilization=1&targetRAMUtilization=1',
    );
    const container = (cpu: string, savings: unknown): unknown => ({
      requests: { cpu, ram: '50Mi' },
      currentRequests: { cpu: '500m', ram: '512Mi' },
      monthlySavings: savings,
    });
    const byName = (controllers as { name: string }[]).toSorted((a, b) =>
      a.name < b.name ? 1 : -1,
    );
    assert.deepEqual(byName, [
      { name: 'db', kind: 'statefulset', namespace: 'data', clusterId: 'one', containers: { app: container('100m', 584) } },
      { name: 'api', kind: 'deployment', namespace: 'shop', clusterId: 'one', containers: { app: container('100m', 292), proxy: container('400m', 0) } },
    ]); // prettier-ignore
  });

  test('shape=array is the list alone, format=csv a line each', async () => {
    const all = await ask([yesterday(...rows)], 'requestSizingV2?window=yesterday');
    const [, list] = await text(
      [yesterday(...rows)],
      'requestSizingV2?window=yesterday&shape=array',
    );
    assert.deepEqual(JSON.parse(list), all.Recommendations);
    const [, csv] = await text(
      [yesterday(...rows)],
      'requestSizingV2?window=yesterday&format=csv&sortBy=cpuRecommended&limit=1',
    );
    assert.equal(csv.split('\n')[1]?.split(',').slice(0, 9).join(), 'one,shop,deployment,api,proxy,572m,72Mi,500m,512Mi'); // prettier-ignore
  });

  test('labels and annotations are in the answer where they are requested', async () => {
    const answer = await ask(
      [yesterday(...rows)],
      'requestSizingV2?window=yesterday&includeLabelsAndAnnotations=true&filterControllers=api&filterContainers=app',
    );
    assert.deepEqual(answer.Recommendations[0]?.labels, { team: 'red' });
  });
});

describe('windows', () => {
  test('hours without stored sets are refused, with a hint', async () => {
    const [status, body] = await text([yesterday(ran('a'))], 'requestSizingV2?window=3h');
    assert.equal(status, 422, body);
    assert.match(body, /ask for whole days, for example window=1d/);
  });

  test('a day without usage, such as an imported one, has a warning; so has a day that is not stored', async () => {
    const startMs = TODAY_MS - 2 * DAY_MS;
    const before = { startMs, endMs: startMs + DAY_MS, ran: [ran('a', { startMs, endMs: startMs + DAY_MS })], isUsageKept: false }; // prettier-ignore
    const answer = await ask([before, yesterday(ran('a'))], 'requestSizingV2?window=4d');
    assert.equal(answer.Count, 1);
    assert.deepEqual(answer.warnings, [
      '2024-05-06T00:00:00.000Z to 2024-05-07T00:00:00.000Z is not stored: the answer lacks it',
      '2024-05-07T00:00:00.000Z to 2024-05-08T00:00:00.000Z is not stored: the answer lacks it',
      '2024-05-10T00:00:00.000Z to 2024-05-11T00:00:00.000Z is not stored: the answer lacks it',
      'usage of 2024-05-08T00:00:00.000Z to 2024-05-09T00:00:00.000Z is not kept: only what it cost is counted',
    ]);
  });
});

describe('refused parameters', () => {
  const FRACTIONS = ['0', '1.01', 'abc', '-0.5', 'NaN', '0x1', '1e999', '9e-323', '0.0009'];
  const AMOUNTS = ['-1', 'abc', '1e999', 'NaN'];
  const WORDS = ['nothing', '0', '__proto__'];
  const refused: Readonly<Record<string, readonly string[]>> = {
    targetCPUUtilization: FRACTIONS,
    targetRAMUtilization: FRACTIONS,
    qCPU: ['0', '101', 'abc', '-5'],
    qRAM: ['0', '100.5', 'p95'],
    minRecCPUMillicores: AMOUNTS,
    minRecRAMBytes: AMOUNTS,
    algorithmCPU: WORDS,
    algorithmRAM: WORDS,
    sortBy: WORDS,
    sortByOrder: WORDS,
    shape: WORDS,
    format: ['pdf', 'arrow'],
    limit: ['-1', '1.5', 'ten'],
    offset: ['-1', 'ten'],
    includeLabelsAndAnnotations: ['maybe'],
    filter: ['foo'],
    window: ['', 'abc', '0d'],
  };

  for (const [parameter, values] of Object.entries(refused)) {
    test(`${parameter}: ${values.join(', ')}`, async () => {
      const server = await start('UTC', []);
      try {
        for (const value of values) {
          const query = parameter === 'window' ? '' : 'window=1d&';
          const url = `${server.url}/savings/requestSizing?${query}${parameter}=${encodeURIComponent(value)}`; // prettier-ignore
          const response = await fetch(url);
          const body = (await response.json()) as { parameter: string; message: string };
          assert.deepEqual([response.status, body.parameter], [400, parameter], body.message);
          assert.ok(body.message.includes(value), `${body.message} tells ${value}`);
        }
      } finally {
        await server.stop();
      }
    });
  }
});
