/** Each view of the page in a real browser, over the demo fleet: what one does there, its numbers, its looks at every width. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { axeFaults } from '../../support/browser/axe.ts';
import { testBrowser, WITHOUT_BROWSER, type OpenPage } from '../../support/browser/browser.ts';
import { NOW_MS, startDemo } from '../../support/browser/demo-server.ts';
import { sampled } from '../../support/sampled.ts';
import type { ServerProcess } from '../../support/servers/server-process.ts';
import { billsAreRead, writeBills } from './cloud-view.ts';
import { COLLECTIONS } from './collections-view.ts';
import { JOURNEYS } from './journeys.ts';
import { sum } from './view-case.ts';
import { VIEW_CASES } from './views.ts';

const WIDTHS = [320, 768, 1440] as const;
const COLOURS = ['light', 'dark'] as const;
/** Up to 0.1 is called good (https://web.dev/articles/cls). */
const SHIFT_MAX = 0.01;
/** HTML, script, style and icon, as they travel. */
const PAGE_BYTES_MAX = 90 * 1024;
/** All that the first view is answered. */
const ANSWER_BYTES_MAX = 120 * 1024;
const REQUESTS_MAX = 40;
/** Five times what is promised, for a browser that shares its cores. */
const PAINT_MAX_MS = 5000;

describe('views in a browser', { skip: WITHOUT_BROWSER }, () => {
  let server: ServerProcess;
  const browser = testBrowser();
  const bills = mkdtempSync(join(tmpdir(), 'prorata-page-bills-'));
  before(async () => {
    writeBills(bills, ['2024-05-12', '2024-05-13', '2024-05-14']);
    server = await startDemo([`--bill-folder=${bills}`]);
    await billsAreRead(ask);
    for (const each of COLLECTIONS) await post('/model/collections', each);
  });
  after(async () => {
    assert.deepEqual(server.errors, []);
    await server.stop();
    rmSync(bills, { recursive: true });
  });

  const ask = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${server.url}${path}`)).json()) as T;
  const post = async (path: string, body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const reply = await fetch(`${server.url}${path}`, init);
    assert.ok(reply.ok, await reply.text());
  };
  const visit = async (
    use: (open: OpenPage) => Promise<void>,
    width: number = 1440,
  ): Promise<void> => {
    await browser.visit(server.url, use, { nowMs: NOW_MS, width });
  };

  test('the bar has the views in their order, and keys lead to them', async () => {
    await visit(async (open) => {
      const { page, go, quiet } = open;
      await go('');
      const titles = await page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('link')
        .allInnerTexts();
      const known = VIEW_CASES.map((each) => each.title);
      assert.deepEqual(
        titles.filter((title) => known.includes(title)),
        known,
      );
      for (const { title, key } of VIEW_CASES) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await quiet();
        assert.equal(await page.title(), `${title} · prorata`);
      }
      // Views without a row are held by their looks.
      for (const title of titles.filter((each) => !known.includes(each))) {
        await page.getByRole('link', { name: title, exact: true }).click();
        await quiet();
        for (const width of WIDTHS) await looksWell(open, width, 'dark');
      }
    });
  });

  for (const [turn, view] of VIEW_CASES.entries()) {
    const { title, query, states, number, does, flow } = view;
    test(`${title} ${does}`, async () => {
      await visit(async (open) => {
        await open.go(query);
        await flow(open);
      });
    });

    test(`${title} shows ${number.says} as the API tells it`, async () => {
      await visit(async (open) => {
        await open.go(query);
        await staysInPlace(open);
        assert.equal(await number.shown(open), await number.figure(ask));
      });
    });

    test(`${title} can be read by all, fits every width, and stays in place`, async () => {
      await visit(async (open) => {
        await open.go(query);
        await staysInPlace(open);
        const looks = WIDTHS.flatMap((width) =>
          COLOURS.map((colours) => [width, colours] as const),
        );
        for (const [width, colours] of sampled(looks, { gate: 2, turn }))
          await looksWell(open, width, colours, colours === 'dark');
      }, WIDTHS[0]);
      await visit(async (open) => {
        for (const [index, state] of sampled([...states.entries()], { gate: 1, turn })) {
          await open.go(state);
          await looksWell(open, index % 2 === 0 ? 320 : 1440, index % 2 === 0 ? 'dark' : 'light');
        }
      });
    });
  }

  for (const { name, run } of JOURNEYS) {
    test(name, async () => {
      await visit(async (open) => await run(open, ask));
    });
  }

  test('the first view is light, and soon there', async (context) => {
    await visit(async ({ page, go, requests, seen }) => {
      const beganMs = performance.now();
      await go('');
      const tookMs = performance.now() - beganMs;
      const travelled = await page.evaluate<readonly (readonly [string, number])[]>(
        `performance.getEntries().flatMap(({ name, transferSize }) =>
          transferSize === undefined ? [] : [[new URL(name).pathname, transferSize]])`,
      );
      const bytesOf = (isPart: boolean): number =>
        sum(
          travelled.flatMap(([path, bytes]) =>
            /^\/(ui\/.*)?$/.test(path) === isPart ? [bytes] : [],
          ),
        );
      const [parts, answers] = [bytesOf(true), bytesOf(false)];
      const { paintMs, longTasksMs } = await seen();
      context.diagnostic(
        `${parts} bytes of the page, ${answers} of answers, ${requests.length} requests`,
      );
      context.diagnostic(
        `first paint with content ${Math.round(paintMs)} ms, all there ${Math.round(tookMs)} ms`,
      );
      context.diagnostic(`tasks above 50 ms: ${longTasksMs.map(Math.round).join(', ') || 'none'}`);
      assert.ok(parts > 10_000 && parts <= PAGE_BYTES_MAX, `${parts} bytes`);
      assert.ok(answers > 0 && answers <= ANSWER_BYTES_MAX, `${answers} bytes of answers`);
      assert.ok(requests.length <= REQUESTS_MAX, requests.join('\n'));
      assert.ok(paintMs > 0 && paintMs < PAINT_MAX_MS, `${paintMs} ms`);
    });
  });

  test('a page that nobody touches asks once a minute whether numbers changed, and nothing else', async () => {
    for (const query of ['', '?view=allocations']) {
      await browser.visit(
        server.url,
        async ({ page, go, quiet, requests }) => {
          await go(query);
          const asked = requests.length;
          await page.clock.runFor(3 * 60_000);
          await quiet();
          const more = requests.slice(asked);
          assert.deepEqual(
            more,
            Array.from({ length: 3 }, () => more[0]),
          );
          assert.match(more[0] ?? '', /^\/model\/allocation\/summary\?/);
        },
        { nowMs: NOW_MS, isStepped: true },
      );
    }
  });
});

/** Nothing has moved since the page was opened, and its policy refused nothing. */
async function staysInPlace({ page, seen }: OpenPage): Promise<void> {
  const { shifts, refused } = await seen();
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  const moved = shifts.map(({ value, moved: parts }) => `${value.toFixed(4)} ${parts.join(' ')}`);
  assert.ok(sum <= SHIFT_MAX, `${page.url()} shifts by ${sum.toFixed(4)}:\n${moved.join('\n')}`);
  assert.deepEqual(refused, []);
}

async function looksWell(
  { page }: OpenPage,
  width: number,
  colours: (typeof COLOURS)[number],
  isOfColours = false,
): Promise<void> {
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: colours });
  // Nothing is asked for it; bars are drawn anew.
  await page.evaluate('testQuiet(40)');
  const about = `${page.url()} at ${width} px, ${colours}`;
  const beyond = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(beyond <= 0, `${about}: ${beyond} px wider than the window`);
  const folder = process.env['SCREENSHOTS'];
  if (folder !== undefined) {
    const name = `${new URL(page.url()).search.replaceAll(/\W+/g, '-')}-${width}-${colours}.png`;
    await page.screenshot({ path: join(folder, name), fullPage: true });
  }
  assert.deepEqual(await axeFaults(page, isOfColours), [], about);
}
