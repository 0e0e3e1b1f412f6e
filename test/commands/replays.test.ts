/** Requests of real clients, read as the clients read: the bundle as users run it, three days of the demo and bills. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NOW, type Ask, type Client } from '../support/clients/client.ts';
import { BACKSTAGE_KUBECOST, CSV_SCRIPT, GRAFANA } from '../support/clients/kubecost-pages.ts';
import { BACKSTAGE_OPENCOST, HEADLAMP, OPENCOST_UI } from '../support/clients/opencost-pages.ts';
import { KUBECTL_COST, PARQUET_EXPORTER } from '../support/clients/programs.ts';
import { fillFolder } from '../support/recorded-answers.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';

const CLIENTS: readonly Client[] = [
  OPENCOST_UI,
  HEADLAMP,
  BACKSTAGE_OPENCOST,
  BACKSTAGE_KUBECOST,
  KUBECTL_COST,
  PARQUET_EXPORTER,
  GRAFANA,
  CSV_SCRIPT,
];

const home = mkdtempSync(join(tmpdir(), 'prorata-replays-'));
const CLOCK = [`--now=${NOW}`, '--timezone=UTC', '--workers=1'];
let server: ServerProcess;
before(async () => {
  await fillFolder(home, CLOCK);
  const flags = ['--data-dir=data', '--demo=true', '--refresh=0', '--request-sizing-shape=array'];
  server = await startServerProcess([...CLOCK, ...flags], { cwd: home });
});
after(async () => {
  assert.deepEqual(server.errors, []);
  assert.equal(await server.stop(), 0);
  rmSync(home, { recursive: true, force: true });
});

const ask: Ask = async (path, init) => {
  const answer = await fetch(`${server.url}${path}`, init);
  const contentType = answer.headers.get('content-type') ?? '';
  return { status: answer.status, contentType, text: await answer.text() };
};

for (const { name, read, replays } of CLIENTS)
  describe(`${name} (${read})`, () => {
    for (const replay of replays) test(replay.name, () => replay.run(ask));
  });

describe('an answer of the other dialect is seen', () => {
  const below: Ask = (path, init) => ask(`/model${path}`, init);
  const without: Ask = (path, init) => ask(path.replace(/^\/model/, ''), init);
  const WRONG: readonly (readonly [client: Client, replay: string, other: Ask])[] = [
    [HEADLAMP, 'costs of 3d are drawn on the dates that it counts', below],
    [OPENCOST_UI, 'costs of 3d are on their days', below],
    [OPENCOST_UI, 'assets are a table', below],
    [OPENCOST_UI, 'external costs are a table and a graph', below],
    [BACKSTAGE_OPENCOST, 'bars of 3d rise by date', below],
    [KUBECTL_COST, 'Node is a table', without],
  ];
  for (const [{ name, replays }, replay, other] of WRONG)
    test(`${name}: ${replay}`, async () => {
      const found = replays.find((each) => each.name === replay);
      assert.ok(found !== undefined);
      await assert.rejects(found.run(other), { name: 'AssertionError' });
    });
});
