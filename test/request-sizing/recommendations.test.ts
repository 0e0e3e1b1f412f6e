/** Endpoint 7 over real sockets: requests recommended from stored sets, and what they save. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  DAY_MS,
  HOUR_MS,
  MIB,
  NOW_MS,
  ran,
  sizingServers,
  TODAY_MS,
  yesterday,
} from '../support/servers/sizing-server.ts';
import type { Ran, SizedSpan } from '../support/stores/sizing-sets.ts';

const { ask } = sizingServers();

describe('a recommendation', () => {
  test('100m at a utilization of 0.8 make a request of 125m', async () => {
    const { Recommendations } = await ask(
      [yesterday(ran('a'))],
      'requestSizingV2?window=yesterday&targetCPUUtilization=0.8',
    );
    assert.equal(Recommendations[0]?.recommendedRequest.cpu, '125m');
    assert.deepEqual(Recommendations[0]?.normalizedRecommendedRequest, {
      cpuInMilliCores: 125,
      memoryInMiB: 72, // 50 / 0.7, up
    });
  });

  test('replicas are one row, which needs the largest of each resource', async () => {
    const answer = await ask(
      [
        yesterday(
          ran('a', { cpuUsed: [0.12], ramUsed: [300 * MIB] }),
          ran('b', { cpuUsed: [0.8], ramUsed: [120 * MIB] }),
        ),
      ],
      'requestSizingV2?window=yesterday&targetCPUUtilization=1&targetRAMUtilization=1',
    );
    assert.equal(answer.Count, 1);
    assert.deepEqual(answer.Recommendations[0]?.recommendedRequest, { cpu: '800m', memory: '300Mi' }); // prettier-ignore
  });

  test('a request is never below the floor: 10m and 20Mi, or the requested one', async () => {
    const idle = yesterday(ran('a', { cpuUsed: [0.001, 0], ramUsed: [MIB] }));
    const plain = await ask([idle], 'requestSizingV2?window=yesterday');
    assert.deepEqual(plain.Recommendations[0]?.recommendedRequest, { cpu: '10m', memory: '20Mi' });
    const asked = await ask(
      [idle],
      'requestSizing?window=yesterday&minRecCPUMillicores=15&minRecRAMBytes=31457281',
    );
    assert.deepEqual(asked.Recommendations[0]?.recommendedRequest, { cpu: '15m', memory: '31Mi' });
  });

  test('a container that used nothing gets the floor, one without samples nothing', async () => {
    const rows = [
      ran('a', { controller: 'rests', cpuUsed: [0, 0, 0] }),
      ran('b', { controller: 'unseen', cpuUsed: [], ramUsed: [] }),
      ran('c', { controller: 'half', cpuUsed: [] }),
    ];
    for (const algorithm of ['max', 'quantile', 'quantileOfAverages', 'quantileOfMaxes']) {
      const answer = await ask(
        [yesterday(...rows)],
        `requestSizingV2?window=1d offset 12h&algorithmCPU=${algorithm}&algorithmRAM=${algorithm}`,
      );
      assert.deepEqual(
        answer.Recommendations.map((each) => [each.controllerName, each.recommendedRequest.cpu]),
        [['rests', '10m']],
        algorithm,
      );
      assert.equal(answer.WithoutUsage, 2);
      assert.deepEqual(
        answer.warnings?.filter((each) => each.includes('no usage')),
        ['2 containers have no usage in the window: nothing is recommended for what is not known'],
      );
    }
  });

  test('the request is that of the newest set that has the container, of its newest pod', async () => {
    const days = [
      { ...yesterday(ran('a', { cpuRequest: 9, startMs: TODAY_MS - 2 * DAY_MS, endMs: TODAY_MS - DAY_MS })), startMs: TODAY_MS - 2 * DAY_MS, endMs: TODAY_MS - DAY_MS },
      yesterday(
        ran('a', { cpuRequest: 7, endMs: TODAY_MS - HOUR_MS }),
        ran('b', { cpuRequest: 0.25, startMs: TODAY_MS - 2 * HOUR_MS, ramRequest: 0 }),
        ran('c', { cpuRequest: 5, startMs: TODAY_MS - 3 * HOUR_MS }),
      ),
    ]; // prettier-ignore
    const { Recommendations } = await ask(days, 'requestSizingV2?window=3d');
    assert.deepEqual(Recommendations[0]?.latestKnownRequest, { cpu: '250m', memory: '0Mi' });
  });
});

/** The example of Kubecost's documentation: 7 USD a core-hour, 45 minutes of data in an hour. */
describe('savings of a month', () => {
  const START_MS = NOW_MS - HOUR_MS;
  const quarter = (pod: string, controller: string, place: number, used: number): Ran => ({
    ...ran(pod, { controller }),
    startMs: START_MS + place * 0.25 * HOUR_MS,
    endMs: START_MS + (place + 1) * 0.25 * HOUR_MS,
    cpuRequest: 3,
    ramRequest: 0,
    usdPerCoreHour: 7,
    cpuUsed: [used],
    ramUsed: [MIB],
  });
  const hour = (...rows: readonly Ran[]): SizedSpan => ({
    startMs: START_MS,
    endMs: NOW_MS,
    ran: rows,
  });
  const near = (actual: number | undefined, usd: number): void =>
    assert.ok(Math.abs((actual ?? NaN) - usd) < 0.0101, `${actual}, not ${usd} but for a cent`);
  const QUERY = 'requestSizing?window=1h&targetCPUUtilization=1';

  test('pods of controllers of their own: 3406.67 and 1703.34, together 5110.01', async () => {
    const answer = await ask([hour(quarter('1', 'a', 0, 1), quarter('2', 'b', 2, 2))], QUERY);
    const [first, second] = answer.Recommendations;
    assert.deepEqual(first?.recommendedRequest.cpu, '1000m');
    near(first?.monthlySavings.cpu, 3406.67);
    assert.deepEqual(second?.recommendedRequest.cpu, '2000m');
    near(second?.monthlySavings.cpu, 1703.34);
    near(answer.TotalMonthlySavings, 5110.01);
  });

  test('pods of one controller get one request: 3406.67', async () => {
    const answer = await ask([hour(quarter('1', 'a', 0, 1), quarter('2', 'a', 2, 2))], QUERY);
    assert.deepEqual(
      answer.Recommendations.map((each) => each.recommendedRequest.cpu),
      ['2000m'],
    );
    near(answer.TotalMonthlySavings, 3406.67);
  });

  test('a container that runs all the time saves price x (allocated - recommended) x 730', async () => {
    const [first] = (
      await ask(
        [yesterday(ran('a', { usdPerCoreHour: 0.04, usdPerByteHour: 2 ** -38 }))],
        'requestSizingV2?window=yesterday&targetCPUUtilization=0.8&targetRAMUtilization=0.5',
      )
    ).Recommendations;
    near(first?.monthlySavings.cpu, 0.04 * (0.5 - 0.125) * 730);
    near(first?.monthlySavings.memory, 2 ** -38 * (512 - 100) * MIB * 730);
    near(
      first?.monthlySavings.total,
      (first?.monthlySavings.cpu ?? 0) + (first?.monthlySavings.memory ?? 0),
    );
  });

  test('a higher request saves less than nothing', async () => {
    const hungry = yesterday(ran('a', { cpuUsed: [2], usdPerCoreHour: 0.04 }));
    for (const version of ['requestSizing', 'requestSizingV2']) {
      const answer = await ask([hungry], `${version}?window=yesterday&targetCPUUtilization=1`);
      near(answer.Recommendations[0]?.monthlySavings.cpu, 0.04 * (0.5 - 2) * 730);
      near(answer.TotalMonthlySavings, 0.04 * (0.5 - 2) * 730);
    }
  });

  test('a job of an hour a day saves no more than it costs', async () => {
    const job = ran('a', { controller: 'nightly', kind: 'job', usdPerCoreHour: 1, endMs: TODAY_MS - 23 * HOUR_MS }); // prettier-ignore
    const answer = await ask(
      [yesterday(job, ran('b'))],
      'requestSizingV2?window=yesterday&targetCPUUtilization=1',
    );
    near(answer.Recommendations[0]?.monthlySavings.cpu, (0.5 - 0.1) * (730 / 24));
  });
});
