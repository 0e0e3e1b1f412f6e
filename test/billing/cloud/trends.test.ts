/** GET /cloudCost/view/trends over real sockets: costs against those of as many days before. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { cloudRoutes } from '../../../src/billing/cloud/index.ts';
import {
  startChargeServers,
  type ChargeServer,
  type ChargeServers,
} from '../../support/servers/charge-server.ts';
import { charge, chargeSet, type Charge } from '../../support/stores/charges.ts';

const of = (day: number, service: string, effectiveCost: number, more: Charge = {}): Charge =>
  charge(day, { provider: 'AWS', service, effectiveCost, listCost: 1, ...more });

const CHARGES: readonly Charge[] = [
  of(0, 'EC2', 30),
  of(0, 'gone', 7),
  of(1, 'EC2', 10),
  of(1, '123', 2),
  of(2, 'EC2', 20, { provider: 'Azure' }),
  of(2, 'new', 5),
  of(2, '123', 3),
  of(3, 'EC2', 30),
  of(3, 'nothing', 0),
];
const DAY = (day: number): string => `2024-05-0${1 + day}T00:00:00Z`;
const span = (from: number, to: number): string => `window=${DAY(from)},${DAY(to)}`;

interface Trend {
  readonly isInfinite: boolean;
  readonly isNaN: boolean;
  readonly value: number;
}
interface Trends {
  readonly trends: Readonly<Record<string, Trend>>;
  readonly window: Readonly<Record<'start' | 'end', string>>;
  readonly comparisonWindow: Readonly<Record<'start' | 'end', string>>;
}

let servers: ChargeServers;
let server: ChargeServer;
const started: ChargeServer[] = [];
async function start(charges: readonly Charge[], timezone: string): Promise<ChargeServer> {
  const own = await servers.start([await chargeSet(charges, 0, 'cloud')], timezone, (parts) =>
    cloudRoutes({ ...parts, sets: parts.cloudSets }),
  );
  started.push(own);
  return own;
}
before(async () => {
  servers = await startChargeServers();
  server = await start(CHARGES, 'UTC');
});
after(async () => {
  for (const own of started) await own.stop();
  await servers.stop();
  assert.deepEqual(servers.failures, []);
});

async function textOf({ url }: ChargeServer, query: string): Promise<string> {
  const answer = await fetch(`${url}/model/cloudCost/view/trends?${query}`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
}
const ask = async (query: string, of: ChargeServer = server): Promise<Trends> =>
  (JSON.parse(await textOf(of, query)) as { data: Trends }).data;

const finite = (value: number): Trend => ({ isInfinite: false, isNaN: false, value });
const INFINITE: Trend = { isInfinite: true, isNaN: false, value: 0 };
const NONE: Trend = { isInfinite: false, isNaN: true, value: 0 };

describe('trends', () => {
  const CASES: readonly (readonly [query: string, trends: Readonly<Record<string, Trend>>])[] = [
    ['aggregate=service', { EC2: finite(0.25), new: INFINITE, 123: finite(0.5), nothing: NONE, gone: finite(-1) }],
    ['aggregate=service&names=gone,EC2,nobody', { gone: finite(-1), EC2: finite(0.25), nobody: NONE }],
    ['aggregate=service&filter=service:EC2', { EC2: finite(0.25) }],
    ['aggregate=provider,service&filter=service:EC2', { 'AWS/EC2': finite(-0.25), 'Azure/EC2': INFINITE }],
    ['aggregate=service&limit=1&offset=1', { new: INFINITE }],
    ['aggregate=provider&costMetric=listCost', { AWS: finite(0), Azure: INFINITE }],
  ]; // prettier-ignore
  for (const [query, expected] of CASES)
    test(`are costs over those before, less one: ${query}`, async () => {
      const { trends, window, comparisonWindow } = await ask(`${span(2, 4)}&${query}`);
      assert.deepEqual(trends, expected);
      assert.deepEqual(window, { start: DAY(2), end: DAY(4) });
      assert.deepEqual(comparisonWindow, { start: DAY(0), end: DAY(2) });
    });

  test('are sorted by cost or by name, also by names that are numbers', async () => {
    const keys = async (query: string): Promise<string[]> =>
      Array.from(
        (await textOf(server, query)).matchAll(/"([^"]*)":\{"isInf/g),
        ([, key = '']) => key,
      );
    const all = `${span(2, 4)}&aggregate=service`;
    assert.deepEqual(await keys(all), ['EC2', 'new', '123', 'nothing', 'gone']);
    assert.deepEqual(await keys(`${all}&names=nothing,123,EC2`), ['nothing', '123', 'EC2']);
  });

  test('compare as many local days, where clocks change too', async () => {
    const berlin = await start([of(0, 's', 1)], 'Europe/Berlin');
    // Clocks went forward on 31 March 2024.
    const { window, comparisonWindow } = await ask(
      'window=2024-03-31T00:00:00%2B01:00,2024-04-02T00:00:00%2B02:00',
      berlin,
    );
    assert.deepEqual(window, { start: '2024-03-30T23:00:00Z', end: '2024-04-01T22:00:00Z' });
    assert.deepEqual(comparisonWindow, { start: '2024-03-28T23:00:00Z', end: window.start });
  });

  test('are the quotient of two totals, for any costs', async () => {
    const cents = fc.integer({ min: 1, max: 10_000 });
    await fc.assert(
      fc.asyncProperty(cents, cents, async (earlier, later) => {
        const own = await start([of(1, 's', earlier / 100), of(2, 's', later / 100)], 'UTC');
        const { trends } = await ask(`${span(2, 3)}&aggregate=service`, own);
        assert.deepEqual(trends, { s: finite(later / 100 / (earlier / 100) - 1) });
      }),
      { numRuns: 10 },
    );
  });
});
