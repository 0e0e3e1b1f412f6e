/** Parameters that are not known, on every route of the server as users run it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';

const DAYS = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const NOW = 'window=2024-05-02T10:00:00Z,2024-05-02T10:05:00Z';
const MANIFEST =
  'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web}]}\n';
const FLAGS = ['--now=2024-05-03T08:00:00Z', '--timezone=UTC', '--workers=1', '--refresh=0'];

/** Paths of which the JSON answers have warnings. */
const TOLD_IN_BODIES = [
  `/model/allocation?${DAYS}`,
  `/model/allocation/summary?${DAYS}`,
  `/model/allocation/summary/topline?${DAYS}`,
  `/model/allocation/autocomplete?${DAYS}&field=pod`,
  `/model/allocation/compute?${NOW}`,
  `/model/assets?${DAYS}`,
  `/model/assets/topline?${DAYS}`,
  `/model/cloudCost?${DAYS}`,
  `/model/cloudCost/view/table?${DAYS}`,
  `/model/cloudCost/view/totals?${DAYS}`,
  `/model/cloudCost/view/trends?${DAYS}`,
  `/model/cloudCost/view/graph?${DAYS}`,
  `/model/cloudCost/autocomplete?${DAYS}&field=service`,
  `/model/customCost/timeseries?${DAYS}`,
  `/model/customCost/total?${DAYS}`,
  `/model/savings/requestSizing?${DAYS}`,
  `/model/savings/requestSizingV2?${DAYS}`,
  `/model/savings/requestSizingV2/topline?${DAYS}`,
  `/model/savings/clusterSizingETL?${DAYS}`,
  `/model/collections/query/total?${DAYS}&category=Team`,
  '/model/audit/events?count=5',
];

const TOLD_IN_HEADERS = [
  `/model/allocation?${DAYS}&format=csv`,
  `/model/allocation?${DAYS}&format=ndjson`,
  `/model/allocation?${DAYS}&format=arrow`,
  `/model/allocation/summary?${DAYS}&format=csv`,
  `/model/allocation/compute?${NOW}&format=csv`,
  `/model/allocation/compute?${NOW}&format=arrow`,
  `/model/assets?${DAYS}&format=csv`,
  `/model/cloudCost/view/table?${DAYS}&format=csv`,
  `/model/savings/requestSizingV2?${DAYS}&format=csv`,
  `/model/savings/requestSizingV2?${DAYS}&shape=array`,
  '/model/collections?category=Team',
  '/model/collection/configs?',
];

describe('a parameter that is not known', () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-ignored-'));
  let server: ServerProcess;
  before(async () => {
    const flags = ['--demo=true', '--cost-events-audit=true', `--data-dir=${join(home, 'data')}`];
    server = await startServerProcess([...FLAGS, ...flags]);
    const collection = { name: 'web', category: 'Team', groups: [] };
    await answered(server, '/model/collections', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(collection),
    });
  });
  after(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test('is told in the warnings of every JSON answer, with the nearest known one', async () => {
    for (const path of TOLD_IN_BODIES) {
      const { warnings } = await told(server, path);
      const { warnings: more, partial } = await told(server, `${path}&offest=1&unheardOf=2&_=3`);
      const near = /autocomplete|query\/total|audit|clusterSizing/.test(path)
        ? ''
        : `; did you mean 'offset'?`;
      const isOfParameters = (text: string): boolean => text.startsWith("parameter '");
      assert.deepEqual(
        more.filter(isOfParameters),
        [
          `parameter 'offest' is not known and was ignored${near}`,
          "parameter 'unheardOf' is not known and was ignored",
        ],
        path,
      );
      // What else an answer warns of, and whether it is partial, stays as it was.
      assert.deepEqual(
        more.filter((text) => !isOfParameters(text)),
        warnings,
        path,
      );
      assert.equal(partial, (await told(server, path)).partial, path);
    }
  });

  test('is told in a header of answers of other formats', async () => {
    for (const path of TOLD_IN_HEADERS) {
      const plain = await answered(server, path);
      const { headers } = await answered(server, `${path}&agregate=pod`);
      const text = headers.get('x-prorata-warnings') ?? '';
      assert.match(text, /(^|; )parameter 'agregate' is not known and was ignored/, path);
      assert.equal(headers.get('x-prorata-partial'), plain.headers.get('x-prorata-partial'), path);
    }
    const wanted = 'clusterID=c&defaultNamespace=d&noUsages=true';
    const { headers } = await answered(server, `/model/prediction/speccost?${wanted}`, {
      method: 'POST',
      body: MANIFEST,
    });
    assert.match(headers.get('x-prorata-warnings') ?? '', /'noUsages' .* did you mean 'noUsage'\?/);
  });

  test('is refused by complements, of which a part would be missing unseen', async () => {
    const path = `/model/collection/query/complement/kubernetes?${DAYS}&category=Team&aggregate=pod`;
    const response = await fetch(`${server.url}${path}&offest=1`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /parameter 'offest' is not known here; it came with '1'/);
  });

  test('is not told where clients of Kubecost and OpenCost send it and it changes nothing', async () => {
    const sent =
      'chartType=costovertime&costUnit=cumulative&metrics=cost&includeAggregatedMetadata=true&_=1';
    const paths = [...TOLD_IN_BODIES, `/model/allocation?${DAYS}&step=1d&resolution=1m`];
    for (const path of paths) {
      const { warnings } = await told(server, `${path}&${sent}`);
      assert.doesNotMatch(warnings.join(), /is not known and was ignored/, path);
    }
    const { warnings } = await told(server, `/model/allocation?${DAYS}&step=1h`);
    assert.match(warnings[0] ?? '', /'step' is not known and was ignored/);
  });
});

interface Told {
  readonly warnings: readonly string[];
  readonly partial: boolean;
}

async function told(server: ServerProcess, path: string): Promise<Told> {
  const { body } = await answered(server, path);
  const { warnings = [], partial = false } = JSON.parse(body) as Partial<Told>;
  return { warnings, partial };
}

async function answered(
  { url }: ServerProcess,
  path: string,
  init: RequestInit = {},
): Promise<{ readonly headers: Headers; readonly body: string }> {
  const reply = await fetch(url + path, init);
  const body = await reply.text();
  assert.equal(reply.status, 200, `${path}: ${body}`);
  return { headers: reply.headers, body };
}
