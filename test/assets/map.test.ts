/** GET /assets without a prefix: one map of the window, as OpenCost gives it. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { assetDay, MOCK_ASSETS } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';

type Assets = Readonly<Record<string, { readonly window: { readonly start: string } }>>;

let server: OwnServer;
let folder = '';
before(async () => {
  folder = await folderOf(await Promise.all([0, 1, 2].map((day) => assetDay(day, MOCK_ASSETS))));
  const flags = ['--workers=1', '--timezone=UTC', '--now=2024-05-05T12:00:00Z'];
  server = await startOwnServer([`--data-dir=${folder}`, ...flags]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string): Promise<Readonly<Record<string, unknown>>> {
  return JSON.parse((await server.ask(path)).text) as Readonly<Record<string, unknown>>;
}

const DAY = (day: number): string => `2024-05-0${1 + day}T00:00:00Z`;
const span = (from: number, to: number): string => `window=${DAY(from)},${DAY(to)}`;

describe('the map of assets', () => {
  for (const query of [span(0, 1), span(0, 3), `${span(0, 3)}&aggregate=type&filterTypes=Disk`])
    test(`is all days of the list together: ${query}`, async () => {
      const { data, ...others } = await ask(`/model/assets?${query}&accumulate=true`);
      const [all] = data as readonly Assets[];
      assert.ok(Object.keys(all ?? {}).length > 0);
      for (const ignored of ['', '&includeIdle=true&step=1d&accumulate=false'])
        assert.deepEqual(await ask(`/assets?${query}${ignored}`), {
          ...others,
          status: 'success',
          data: all,
        });
    });

  test('has as many days as the window says, today the last', async () => {
    const { data } = await ask('/assets?window=4d&aggregate=type');
    const windows = Object.values(data as Assets).map(({ window }) => window);
    assert.ok(windows.length > 0);
    for (const window of windows) assert.deepEqual(window, { start: DAY(1), end: DAY(5) });
  });

  test('is empty where nothing is stored, and says so', async () => {
    const { data, status, partial } = await ask('/assets?window=1d');
    assert.deepEqual([data, status, partial], [{}, 'success', true]);
  });

  test('can be CSV, too', async () => {
    const { text } = await server.ask(`/assets?${span(0, 3)}&format=csv`);
    assert.equal(text, (await server.ask(`/model/assets?${span(0, 3)}&format=csv`)).text);
  });
});
