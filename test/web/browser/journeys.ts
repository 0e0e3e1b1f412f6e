/** What people come to the page for, from its first view to the answer: by clicks, or by keys alone. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { OpenPage } from '../../support/browser/browser.ts';
import type { Ask, Costs } from './view-case.ts';

export interface Journey {
  readonly name: string;
  readonly run: (open: OpenPage, ask: Ask) => Promise<void>;
}

/** The whole days of the last week, and as many before. */
const WEEK = '2024-05-10,2024-05-16';
const WEEK_BEFORE = '2024-05-04,2024-05-10';
const LEVELS = ['cluster', 'namespace', 'controller', 'pod', 'container'] as const;
const TABS_MAX = 120;

/** Idle that each row bears: what it costs with its idle, less what it costs without. */
async function idleOf(ask: Ask, window: string, by: string, filter: string): Promise<Costs> {
  const base = `/model/allocation?window=${window}&exactWindow=true&aggregate=${by}&accumulate=true&filter=${encodeURIComponent(filter)}`;
  const both = ['&idle=true&shareIdle=true', '&idle=false'].map(
    async (how) => (await ask<{ readonly data: readonly Costs[] }>(base + how)).data[0] ?? {},
  );
  const [shared = {}, plain = {}] = await Promise.all(both);
  return Object.fromEntries(
    Object.entries(shared).map(([name, { totalCost }]) => [
      name,
      { totalCost: totalCost - (plain[name]?.totalCost ?? 0) },
    ]),
  );
}

/** The name of which idle grew most. */
async function mostGrown(ask: Ask, by: string, filter: string): Promise<string> {
  const [now, before] = await Promise.all(
    [WEEK, WEEK_BEFORE].map((window) => idleOf(ask, window, by, filter)),
  );
  const grown = Object.entries(now ?? {})
    .filter(([name]) => !name.startsWith('__'))
    .map(([name, { totalCost }]) => ({
      name,
      usd: totalCost - (before?.[name]?.totalCost ?? 0),
    }));
  return grown.toSorted((a, b) => b.usd - a.usd)[0]?.name ?? '';
}

/** Walks by Tab to what has the name, as those do who have no pointer. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses++) {
    const focused = await page.evaluate<string>(
      `(() => { const at = document.activeElement; return at === document.body ? '' : (at.getAttribute('aria-label') ?? at.closest('label')?.innerText ?? at.innerText ?? '').trim(); })()`,
    );
    if (name.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${String(name)}`);
}

async function applied(page: Page): Promise<string[]> {
  await page.locator('.plan').getByText('Done.').waitFor();
  const run = page.locator('.plan .runs > li').first();
  await run.getByText(/^Applied/).waitFor();
  return await run.locator('li').allInnerTexts();
}

const IDLE_QUESTION: Journey = {
  name: 'which idle grew last week, and which workload caused it, takes two clicks',
  async run({ page, go, quiet }, ask) {
    await go('');
    await page.locator('.card', { hasText: 'Teams' }).getByText('whose idle grew').click();
    await quiet();
    const first = page.locator('.costs tbody tr').first().locator('th a');
    const team = await first.innerText();
    assert.equal(team, await mostGrown(ask, 'team', ''));
    await first.click();
    await quiet();
    const workload = await first.innerText();
    assert.equal(workload, await mostGrown(ask, 'controller', `team:"${team}"`));
  },
};

const SAFE_HALF: Journey = {
  name: 'the safe part of the savings of a namespace is applied and undone by clicks',
  async run({ page, go, quiet }) {
    await go('');
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.getByRole('link', { name: 'Requests of containers' }).click();
    await quiet();
    await page.getByRole('combobox', { name: 'Filter of containers' }).click();
    for (const offer of [/^namespace$/, /^web$/])
      await page.locator('#filter-offers li', { hasText: offer }).click();
    await page.getByRole('heading', { name: 'Requests of containers' }).click();
    await quiet();
    const rows = page
      .getByRole('table', { name: 'Requests that can be lowered' })
      .locator('tbody tr');
    const names = await rows.locator('th').allInnerTexts();
    assert.ok(names.length > 0 && names.every((name) => name.startsWith('web/')), names.join());
    await page.getByRole('button', { name: /^Select the \d+ safe ones/ }).click();
    await page.getByRole('button', { name: /^Plan \d+ change/ }).click();
    const apply = page.getByRole('button', { name: 'Apply', exact: true });
    await apply.waitFor();
    assert.equal(await apply.isDisabled(), true, 'nothing is typed yet');
    await page.getByRole('textbox', { name: /^Type web/ }).fill('web');
    await apply.click();
    const changes = await applied(page);
    assert.ok(
      changes.length > 0 && changes.every((change) => / done: /.test(change)),
      changes.join(),
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.plan').getByText('undone since').waitFor();
    const undone = await page.locator('.plan .runs > li').first().locator('li').allInnerTexts();
    assert.equal(undone.length, changes.length);
  },
};

const KEYS_DOWN: Journey = {
  name: 'keys alone lead from a cluster down to a container, to what it is made of, and back up',
  async run({ page, go, quiet }) {
    await go('?view=allocations&by=cluster');
    for (const level of LEVELS.slice(1)) {
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await quiet();
      assert.equal(new URL(page.url()).searchParams.get('by') ?? 'namespace', level);
    }
    assert.equal(
      await page
        .locator('.crumbs')
        .innerText()
        .then((text) => text.split(' / ').length),
      5,
    );
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    await quiet();
    const name = await page.locator('.costs tr.active th').innerText();
    assert.equal(await page.locator('.panel h2').innerText(), name);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.panel').count(), 0);
    for (const level of LEVELS.slice(0, -1).toReversed()) {
      await page.keyboard.press('ArrowLeft');
      await quiet();
      assert.equal(new URL(page.url()).searchParams.get('by') ?? 'namespace', level);
    }
    assert.equal(await page.locator('.crumbs').count(), 0);
  },
};

const KEYS_APPLY: Journey = {
  name: 'keys alone plan, apply and undo lower requests',
  async run({ page, go, quiet }) {
    await go('?view=savings&more=of:requestSizing&filter=namespace:"catalog"');
    for (const name of [/^Select the \d+ safe ones/, /^Plan \d+ change/]) {
      await tabTo(page, name);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor();
    await tabTo(page, /^Type catalog/);
    await page.keyboard.type('catalog');
    await page.keyboard.press('Enter');
    const changes = await applied(page);
    assert.ok(changes.length > 0);
    await quiet();
    await tabTo(page, /^Undo$/);
    await page.keyboard.press('Enter');
    await page.locator('.plan').getByText('undone since').waitFor();
  },
};

export const JOURNEYS: readonly Journey[] = [IDLE_QUESTION, SAFE_HALF, KEYS_DOWN, KEYS_APPLY];
