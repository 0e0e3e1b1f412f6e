/** The view of collections. */
import assert from 'node:assert/strict';
import { USD, usdOf, type ViewCase } from './view-case.ts';

/** Two collections that share a namespace, as `POST /model/collections` takes them. */
export const COLLECTIONS: readonly object[] = [
  ['Shop', 'namespace:"web","payments"'],
  ['Customers', 'namespace:"payments","catalog"'],
].map(([name, filterString]) => ({
  name,
  category: 'team',
  groups: [{ selectors: { kubernetes: { kind: 'container', filterString } } }],
}));

interface Total {
  readonly data: { readonly cost: { readonly totalCost: number } };
}

export const COLLECTIONS_VIEW: ViewCase = {
  title: 'Collections',
  key: 'c',
  query: '?view=collections',
  states: ['?view=collections&more=of:new'],
  number: {
    says: 'what all collections of a category have cost',
    shown: async ({ page }) => (await page.locator('h1').innerText()).split(' ')[0] ?? '',
    figure: async (ask) => {
      const query = 'category=team&window=7d';
      const { data } = await ask<Total>(`/model/collections/query/total?${query}`);
      return USD.format(data.cost.totalCost);
    },
  },
  does: 'makes a collection whose cost is seen as it is written, and removes it by its name',
  async flow({ page, quiet }) {
    await page.getByRole('link', { name: 'New collection' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Machines');
    const filter = page.getByRole('combobox', { name: 'Filter 1', exact: true });
    await filter.fill('namespace:"ml"');
    await filter.press('Enter');
    const total = page.locator('.editor .total strong');
    await total.getByText('$').waitFor();
    await quiet();
    const cost = await total.innerText();
    assert.ok(usdOf(cost) > 100, cost);
    await page.getByRole('button', { name: 'Make it' }).click();
    const row = page.locator('.rows tr.chosen', { hasText: 'Machines' });
    await row.waitFor();
    await quiet();
    assert.equal(await row.locator('td').first().innerText(), cost);
    await page.getByText('Remove it', { exact: true }).click();
    await page.getByRole('textbox', { name: /^Type Machines/ }).fill('Machines');
    await page.getByRole('button', { name: 'Remove' }).last().click();
    await page.getByText('Machines').first().waitFor({ state: 'detached' });
  },
};
