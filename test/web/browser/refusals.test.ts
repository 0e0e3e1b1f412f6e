/** The page where names are hostile, rights are few, questions are refused and servers go away: it tells what to do, and goes on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testBrowser, WITHOUT_BROWSER, type OpenPage } from '../../support/browser/browser.ts';
import {
  HOSTILE_NAMES,
  HOSTILE_NOW_MS,
  hostileSeries,
} from '../../support/fleets/hostile-names.ts';
import { startServerProcess, type ServerProcess } from '../../support/servers/server-process.ts';
import {
  answering,
  startScriptedStore,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const FILLED_WITHIN_MS = 300_000;

describe('the page where things are against it', { skip: WITHOUT_BROWSER }, () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-refusals-'));
  const series = hostileSeries();
  const browser = testBrowser();
  let port = 0;
  let isStoreAway = false;
  let store: ScriptedStore;
  let server: ServerProcess;

  const start = async (): Promise<ServerProcess> =>
    await startServerProcess([
      `--metrics-url=${store.url}`,
      `--now=${new Date(HOSTILE_NOW_MS).toISOString()}`,
      '--timezone=UTC',
      '--retention=3d',
      '--workers=1',
      '--auth=tokens',
      `--tokens=${join(home, 'tokens.yaml')}`,
      `--data-dir=${join(home, 'data')}`,
      '--cluster-controller=true',
      `--port=${port}`,
    ]);
  const collect = async (name: string): Promise<void> => {
    const reply = await fetch(`${server.url}/model/collections`, {
      method: 'POST',
      headers: { authorization: 'Bearer admin', 'content-type': 'application/json' },
      body: JSON.stringify({ name: name.slice(0, 200), category: 'hostile', groups: [] }),
    });
    assert.ok(reply.ok, await reply.text());
  };
  const filled = async (): Promise<void> => {
    for (const deadlineMs = Date.now() + FILLED_WITHIN_MS; ; await sleep(50)) {
      const headers = { authorization: 'Bearer admin' };
      const reply = await fetch(`${server.url}/readyz?verbose`, { headers });
      const text = await reply.text();
      const { done = 0, total = 0 } =
        (JSON.parse(text) as { backfill?: { done: number; total: number } }).backfill ?? {};
      if (total > 0 && done >= total) return;
      if (Date.now() < deadlineMs) continue;
      await server.stop();
      throw new Error(`${text}\n${server.lines.join('\n')}`);
    }
  };

  before(async () => {
    const lines = ['viewer', 'admin'].map((role) => {
      const sha256 = createHash('sha256').update(role).digest('hex');
      return `- {name: ${role}, sha256: ${sha256}, roles: [${role}]}\n`;
    });
    writeFileSync(join(home, 'tokens.yaml'), lines.join(''));
    const reads = remoteReads(() => series);
    store = await startScriptedStore((response, request) =>
      isStoreAway ? answering(503, 'away')(response, request) : reads(response, request),
    );
    port = await quietPort();
    server = await start();
    await filled();
    for (const name of Object.values(HOSTILE_NAMES)) await collect(name);
  });
  after(async () => {
    await server.stop();
    await store.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const visit = async (use: (open: OpenPage) => Promise<void>, width = 1440): Promise<void> => {
    await browser.visit(server.url, use, { nowMs: HOSTILE_NOW_MS, width });
  };
  /** The page asks for a token, which it gets. */
  const enter = async ({ page, quiet }: OpenPage, role: string): Promise<void> => {
    await page.getByLabel('Token').fill(role);
    await page.getByRole('button', { name: 'Show costs' }).click();
    await page.locator('#content').waitFor();
    await quiet();
  };
  /** Within the page: a reload would forget the token. */
  const lead = async ({ page, quiet }: OpenPage, query: string): Promise<void> => {
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(query)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await quiet();
  };

  test('who has no token, or a wrong one, is told how to get in, and a right one is kept in memory alone', async () => {
    await visit(async (open) => {
      const { page, go } = open;
      await go('');
      assert.equal(await page.locator('h1').innerText(), 'Sign in');
      assert.match(await page.locator('.sign-in').innerText(), /prorata token NAME --roles viewer/);
      await page.getByLabel('Token').fill('wrong');
      await page.getByRole('button', { name: 'Show costs' }).click();
      await page.getByRole('alert').waitFor();
      await enter(open, 'viewer');
      const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
      assert.equal(await page.evaluate<string>(kept), '[{},{},""]');
      await page.reload();
      await page.getByLabel('Token').waitFor();
    });
  });

  test('a viewer sees what can be saved, and which role it takes to do it', async () => {
    await visit(async (open) => {
      const { page, go } = open;
      await go('?view=status');
      await enter(open, 'viewer');
      assert.match(await page.locator('main').innerText(), /take the role admin/);
      await lead(open, '?view=savings&more=of:requestSizing');
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: /^Plan \d+ change/ }).click();
      const failure = page.locator('.plan .failure');
      await failure.waitFor();
      assert.match(
        await failure.innerText(),
        /Not allowed\.[^]*operator[^]*You have the role viewer/,
      );
    });
  });

  test('a question that is too large is refused in words, and a smaller one goes on', async () => {
    await visit(async (open) => {
      const { page, go } = open;
      await go('?view=allocations&window=1970-01-02,2090-01-01');
      await enter(open, 'admin');
      const failure = page.locator('.failure').first();
      assert.match(await failure.innerText(), /Too much at once\.[^]*window/);
      await lead(open, '?view=allocations');
      assert.equal(await page.locator('.failure').count(), 0);
      assert.ok((await page.locator('.costs tbody tr').count()) > 0);
    });
  });

  test('where the metrics store is away the page says so, and asks again when told', async () => {
    await visit(async (open) => {
      const { page, go, quiet } = open;
      await go('');
      await enter(open, 'admin');
      isStoreAway = true;
      await lead(open, '?view=allocations&from=1m&window=today&against=none');
      const failure = page.locator('.failure').first();
      assert.match(await failure.innerText(), /Not at the moment\./);
      isStoreAway = false;
      await failure.getByRole('button', { name: 'Ask again' }).click();
      await quiet();
      assert.equal(await page.locator('.failure').count(), 0);
      assert.ok((await page.locator('.costs tbody tr').count()) > 0);
    });
  });

  test('while the server is away the last numbers stay with their time, and go on when it returns', async () => {
    await browser.visit(
      server.url,
      async (open) => {
        const { page, go, quiet } = open;
        await go('?view=allocations');
        await enter(open, 'admin');
        const rows = await page.locator('.costs tbody').innerText();
        await server.stop();
        await page.clock.runFor(61_000);
        await page.getByText('The server does not answer').waitFor();
        assert.equal(await page.locator('.costs tbody').innerText(), rows);
        server = await start();
        await page.clock.runFor(61_000);
        await page.getByText('The server does not answer').waitFor({ state: 'detached' });
        await quiet();
        assert.equal(await page.locator('.costs tbody').innerText(), rows);
      },
      { nowMs: HOSTILE_NOW_MS, isStepped: true },
    );
  });

  test('names that are markup, very long or written from right to left harm no view', async () => {
    for (const width of [320, 1440])
      await visit(async (open) => {
        const { page, go, seen } = open;
        await go('');
        await enter(open, 'admin');
        const views = hostileQueries();
        for (const query of width === 320 ? views : views.slice(0, 4)) {
          await lead(open, query);
          const about = `${query} at ${width} px`;
          const text = await page.locator('main').textContent();
          assert.ok(text?.includes(HOSTILE_NAMES['script'] ?? '?'), `${about}: ${text}`);
          const beyond = await page.evaluate<number>(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.ok(beyond <= 0, `${about}: ${beyond} px wider than the window`);
        }
        assert.equal(await page.evaluate<unknown>('window.testHarm'), undefined);
        assert.deepEqual((await seen()).refused, []);
      }, width);
  });
});

/** A free port that no outgoing connection of the machine gets, so that a server can come back to it. */
async function quietPort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 8000); ; port++) {
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => probe.close(resolve));
    if (isFree) return port;
  }
}

/** States that show names, by view. */
function hostileQueries(): string[] {
  const query = (of: Readonly<Record<string, string>>): string =>
    `?${new URLSearchParams(of).toString()}`;
  const name = HOSTILE_NAMES['script'] ?? '';
  return [
    query({}),
    ...['cluster', 'namespace', 'controller', 'pod', 'container', 'team', 'node', 'namespace,pod', 'label:app'].map((by) =>
      query({ view: 'allocations', by }),
    ),
    query({ view: 'allocations', chart: 'tiles' }),
    query({ view: 'allocations', open: name }),
    query({ view: 'allocations', path: `namespace:${name}`, by: 'controller' }),
    query({ view: 'assets' }),
    query({ view: 'savings', more: 'of:requestSizing' }),
    query({ view: 'savings', more: 'of:nodeGroupSizing' }),
    query({ view: 'collections' }),
    query({ view: 'status' }),
  ]; // prettier-ignore
}
