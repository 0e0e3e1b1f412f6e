/** The views of the page, a row each. */
import assert from 'node:assert/strict';
import { ASSETS_VIEW } from './assets-view.ts';
import { CLOUD_VIEW } from './cloud-view.ts';
import { COLLECTIONS_VIEW } from './collections-view.ts';
import { EVENTS_VIEW } from './events-view.ts';
import { costs, sum, USD, usdOf, type ViewCase } from './view-case.ts';

const OVERVIEW: ViewCase = {
  title: 'Overview',
  key: 'o',
  query: '?',
  states: ['?window=14d'],
  number: {
    says: 'what this month has cost',
    shown: async ({ page }) =>
      await page
        .locator('.figure', { hasText: 'this month, with idle' })
        .locator('.big')
        .innerText(),
    figure: async (ask) => {
      const rows = Object.values(await costs(ask, 'month', 'cluster'));
      return USD.format(sum(rows.map(({ totalCost }) => totalCost)));
    },
  },
  does: 'tells why a workload changed in parts that add up, and leads to it',
  async flow({ page, quiet }) {
    const sentence = page.locator('.sentences details').first();
    await sentence.locator('summary').click();
    const parts = await sentence.locator('tbody td').allInnerTexts();
    const whole = await sentence.locator('tfoot td').innerText();
    assert.ok(parts.length > 0);
    // Each is rounded to a cent.
    const away = Math.abs(sum(parts.map(usdOf)) - usdOf(whole));
    assert.ok(away <= 0.0051 * (parts.length + 1), `${parts.join(' ')} is not ${whole}`);
    await sentence.getByRole('link').click();
    await quiet();
    assert.match(page.url(), /view=allocations/);
    assert.match(await page.locator('.panel h2').innerText(), /^\w+:/);
    await page.goBack();
    await quiet();
    assert.equal(await page.locator('.sentences').count(), 1);
  },
};

const ALLOCATIONS: ViewCase = {
  title: 'Allocations',
  key: 'a',
  query: '?view=allocations',
  states: [
    '?view=allocations&chart=tiles',
    '?view=allocations&by=cluster,namespace&open=production',
    '?view=allocations&filter=nmespace:web',
  ],
  number: {
    says: 'what a namespace has cost',
    shown: async ({ page }) =>
      await page.locator('tr', { hasText: 'web' }).locator('.number').innerText(),
    figure: async (ask) =>
      USD.format((await costs(ask, '7d', 'namespace'))['web']?.totalCost ?? NaN),
  },
  does: 'filters with completion, and opens a number into lines that add up to it',
  async flow({ page, quiet }) {
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('namesp');
    await page.locator('#filter-offers li', { hasText: 'namespace' }).first().waitFor();
    await filter.press('ArrowDown');
    await filter.press('Enter');
    await filter.pressSequentially('we');
    await page.locator('#filter-offers li', { hasText: /^web$/ }).waitFor();
    await filter.press('ArrowDown');
    await filter.press('Enter');
    await filter.press('Enter');
    await quiet();
    assert.equal(await filter.inputValue(), 'namespace:"web"');
    assert.equal(await page.locator('.table-tools .count').innerText(), '1 row');
    const number = page.locator('tbody .number');
    const shown = await number.innerText();
    await number.click();
    await quiet();
    const panel = page.getByRole('complementary', { name: 'What web is made of' });
    const lines = await panel.locator('.made tbody tr:not(.part) td:last-child').allInnerTexts();
    const total = await panel.locator('.made tfoot td').innerText();
    assert.equal(USD.format(usdOf(total)), shown);
    const away = Math.abs(sum(lines.map(usdOf)) - usdOf(total));
    assert.ok(away <= 0.00005 * (lines.length + 1), `${lines.join(' ')} is not ${total}`);
    await page.reload();
    await quiet();
    assert.equal(await panel.locator('.made tfoot td').innerText(), total);
  },
};

const SAVING_KINDS = [
  'persistentVolumeSizing',
  'localLowDisks',
  'unclaimedVolumes',
  'abandonedWorkloads',
  'requestSizing',
  'nodeGroupSizing',
];

const SAVINGS: ViewCase = {
  title: 'Savings',
  key: 's',
  query: '?view=savings',
  states: SAVING_KINDS.map((of) => `?view=savings&more=of:${of}`),
  number: {
    says: 'what can be saved a month',
    shown: async ({ page }) => (await page.locator('h1').innerText()).split(' ')[0] ?? '',
    figure: async (ask) => {
      const path = '/model/savings?window=7d';
      const { data } =
        await ask<Readonly<Record<'data', Readonly<Record<string, { savingsPerMonth: number }>>>>>(
          path,
        );
      return USD.format(sum(Object.values(data).map(({ savingsPerMonth }) => savingsPerMonth)));
    },
  },
  does: 'opens a line into what it is made of, sorts it, and keeps it in the address',
  async flow({ page, quiet }) {
    await page.getByRole('link', { name: 'Oversized volumes' }).click();
    await quiet();
    assert.match(page.url(), /of:persistentVolumeSizing/);
    const list = page.getByRole('region', { name: 'Oversized volumes' }).getByRole('table');
    const claims = async (): Promise<string[]> => await list.locator('tbody th').allInnerTexts();
    const before = await claims();
    assert.ok(before.length > 1);
    await list.getByRole('button', { name: 'claim' }).click();
    assert.deepEqual(
      await claims(),
      before.toSorted((a, b) => a.localeCompare(b)),
    );
    await page.goBack();
    await quiet();
    assert.equal(await page.locator('main table').count(), 1);
  },
};

const STATUS: ViewCase = {
  title: 'Status',
  key: 't',
  query: '?view=status',
  states: [],
  number: {
    says: 'what a type of node costs an hour',
    shown: async ({ page }) =>
      await page.locator('tr', { hasText: 'm6i.2xlarge' }).locator('td').nth(1).innerText(),
    figure: async (ask) => {
      type Prices = Readonly<Record<string, { instanceType: string; hourlyCost: number }>>;
      const { data } = await ask<{ readonly data: Prices }>('/model/pricingSourceSummary');
      const found = Object.values(data).find((each) => each.instanceType === 'm6i.2xlarge');
      const digits = { maximumFractionDigits: 4, minimumFractionDigits: 0 };
      return `$${new Intl.NumberFormat('en-US', digits).format(found?.hourlyCost ?? NaN)}`;
    },
  },
  does: 'walks the calendar by arrows, and a day leads to its costs',
  async flow({ page, quiet }) {
    const calendar = page.getByRole('group', { name: /^Stored days/ });
    await calendar.locator('a[tabindex="0"]').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowLeft');
    const day = page.locator('.calendar a:focus');
    assert.match((await day.getAttribute('aria-label')) ?? '', /^Wednesday 2024-05-08: whole, \$/);
    await page.keyboard.press('Enter');
    await quiet();
    assert.match(page.url(), /view=allocations&window=2024-05-08/);
    assert.ok((await page.locator('.costs tbody tr').count()) > 5);
  },
};

/** In the order of the bar. */
export const VIEW_CASES: readonly ViewCase[] = [
  OVERVIEW,
  ALLOCATIONS,
  ASSETS_VIEW,
  CLOUD_VIEW,
  SAVINGS,
  COLLECTIONS_VIEW,
  EVENTS_VIEW,
  STATUS,
];
