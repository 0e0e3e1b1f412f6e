/** `format=ndjson` of the real server over the demo fleet, against its JSON. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';

const NOW = '2024-05-03T08:00:00Z';

type JsonRow = Readonly<Record<string, unknown>>;

let server: BundleServer | undefined;
before(async () => {
  server = await startBundleServer([`--now=${NOW}`, '--workers=1']);
});
after(() => server?.stop());

function ask(query: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server?.url}/model/allocation/compute?${query}`, { headers });
}

async function linesOf(query: string): Promise<JsonRow[]> {
  const text = await (await ask(`${query}&format=ndjson`)).text();
  assert.ok(text.endsWith('\n'), 'each line ends');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as JsonRow);
}

test('it has the rows of the JSON, set after set, each on a line', async () => {
  for (const query of ['window=3h&step=1h&aggregate=namespace', 'window=1h&accumulate=false']) {
    const { data } = (await (await ask(query)).json()) as { data: Record<string, JsonRow>[] };
    const rows = data.flatMap((set) => Object.values(set));
    assert.ok(rows.length > 20, 'rows are there');
    assert.deepEqual(await linesOf(query), rows);
    for (const row of rows) assert.ok('name' in row && 'window' in row, 'name and window');
  }
});

const WANTED: readonly (readonly [accept: string, format: string, mediaType: string])[] = [
  ['application/x-ndjson', '', 'application/x-ndjson'],
  ['text/plain, Application/X-NDJSON; q=0.9, application/json', '', 'application/x-ndjson'],
  ['application/json, application/x-ndjson', '', 'application/json'],
  ['*/*', '', 'application/json'],
  ['application/x-ndjson', '&format=json', 'application/json'],
  ['application/json', '&format=ndjson', 'application/x-ndjson'],
];
for (const [accept, format, mediaType] of WANTED)
  test(`Accept: ${accept} with '${format}' gives ${mediaType}`, async () => {
    const answer = await ask(`window=1h&aggregate=cluster${format}`, { accept });
    assert.equal(answer.headers.get('content-type'), mediaType);
    assert.equal(answer.headers.get('vary'), 'accept, accept-encoding');
    const text = await answer.text();
    assert.match(text, mediaType === 'application/json' ? /^\{"code":200/ : /^\{"name":/);
  });

test('its warnings are told beside it', async () => {
  const early = await ask('window=2024-02-02T12:00:00Z,2024-02-03T03:00:00Z&format=ndjson');
  await early.text();
  assert.match(early.headers.get('x-prorata-warnings') ?? '', /first sample .* 2024-02-03/);
});
