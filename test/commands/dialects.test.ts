/** The server as a whole: what paths without a prefix answer, beside those below `/model`. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { PUSH_TOKEN, pushCosts } from '../support/stores/pushes.ts';

type Row = Readonly<Record<string, number>> & { readonly window: { readonly start: string } };
type Rows = Readonly<Record<string, Row>>;

interface Answer {
  readonly code: number;
  readonly status?: string;
  readonly data: readonly Rows[];
  readonly warnings?: readonly string[];
}

const FLAGS = ['--workers=1', '--demo=true', '--timezone=UTC', '--now=2024-05-03T08:20:00Z'];
const folder = mkdtempSync(join(tmpdir(), 'prorata-dialects-'));
let server: OwnServer;
before(async () => {
  const token = join(folder, 'token');
  writeFileSync(token, PUSH_TOKEN);
  server = await startOwnServer([
    ...FLAGS,
    `--data-dir=${join(folder, 'data')}`,
    `--custom-cost-token-file=${token}`,
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, of: OwnServer = server): Promise<Answer> {
  const { status, text } = await of.ask(path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
}

const ROWS = 'aggregate=namespace&resolution=10m';
const startsOf = ({ data }: Answer): (string | undefined)[] =>
  data.map((set) => Object.values(set)[0]?.window.start);

describe('a path without a prefix', () => {
  for (const path of ['/allocation', '/allocation/compute'])
    test(`is computed, oldest set first, without idle: ${path}`, async () => {
      const answer = await ask(`${path}?window=2h&step=1h&${ROWS}`);
      assert.equal(answer.status, 'success');
      // The running hour is the last.
      assert.deepEqual(startsOf(answer), ['2024-05-03T07:00:00Z', '2024-05-03T08:00:00Z']);
      const span = '2024-05-03T07:00:00Z,2024-05-03T09:00:00Z';
      const below = await ask(`/model/allocation/compute?window=${span}&step=1h&${ROWS}`);
      assert.deepEqual(answer, { ...below, status: 'success', data: below.data.toReversed() });
      assert.deepEqual(
        answer.data.filter((set) => '__idle__' in set),
        [],
      );
    });

  for (const path of ['/allocation/summary', '/allocation/compute/summary'])
    test(`is computed in short: ${path}`, async () => {
      const answer = await ask(`${path}?window=2h&step=1h&${ROWS}`);
      const span = '2024-05-03T07:00:00Z,2024-05-03T09:00:00Z';
      const below = await ask(`/model/allocation/compute/summary?window=${span}&step=1h&${ROWS}`);
      assert.deepEqual(answer, { ...below, status: 'success' });
    });

  test('has idle where it is asked for, and the newest set first', async () => {
    const answer = await ask(`/allocation?window=2h&step=1h&${ROWS}&includeIdle=true&order=desc`);
    assert.deepEqual(startsOf(answer), ['2024-05-03T08:00:00Z', '2024-05-03T07:00:00Z']);
    assert.ok(answer.data.every((set) => '__idle__' in set));
  });

  test('takes days as OpenCost does: today is the last of them', async () => {
    const answer = await ask('/allocation?window=2d&step=1d&aggregate=cluster&resolution=1h');
    assert.deepEqual(startsOf(answer), ['2024-05-02T00:00:00Z', '2024-05-03T00:00:00Z']);
  });

  test('tells of external costs as one object', async () => {
    const statusOf = async (): Promise<unknown> => (await ask('/customCost/status')).data;
    assert.deepEqual(await statusOf(), {
      enabled: false,
      domains: [],
      active: false,
      valid: false,
      runs: 0,
      coverageHourly: {},
      coverageDaily: {},
    });
    const day = { start: '2024-05-01T00:00:00Z', end: '2024-05-02T00:00:00Z' };
    const costs = [{ ...day, domain: 'saas', billedCost: 2 }];
    await pushCosts(server, 'told', `${day.start},${day.end}`, costs);
    const { lastRun, ...status } = (await statusOf()) as { readonly lastRun: string };
    assert.ok(Date.parse(lastRun) > 0);
    assert.deepEqual(status, {
      enabled: true,
      domains: ['told'],
      active: true,
      valid: true,
      connectionStatus: 'Connection Successful',
      runs: 1,
      coverageHourly: {},
      coverageDaily: { told: day },
    });
    const listed = (await ask('/model/customCost/status')).data;
    assert.ok(Array.isArray(listed) && listed.length === 1);
  });
});

test('below the prefix allocations are those of stored days, as before', async () => {
  const { status, data, warnings } = await ask('/model/allocation?window=2d&aggregate=namespace');
  assert.deepEqual([status, data.length], [undefined, 3]);
  assert.match(String(warnings), /not stored/);
});

describe('--api-dialect', () => {
  for (const [dialect, path, isComputed] of [
    ['kubecost', '/allocation', false],
    ['opencost', '/model/allocation', true],
  ] as const)
    test(`${dialect} gives ${path} the meaning that it has there`, async () => {
      const own = await startOwnServer([...FLAGS, `--api-dialect=${dialect}`]);
      try {
        const { status } = await ask(`${path}?window=1h&${ROWS}`, own);
        assert.equal(status, isComputed ? 'success' : undefined);
      } finally {
        await own.stop();
      }
    });
});
