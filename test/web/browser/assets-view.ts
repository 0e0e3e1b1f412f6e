/** The view of assets. */
import assert from 'node:assert/strict';
import { sum, USD, usdOf, type ViewCase } from './view-case.ts';

interface Assets {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
}

export const ASSETS_VIEW: ViewCase = {
  title: 'Assets',
  key: 'n',
  query: '?view=assets',
  states: [],
  number: {
    says: 'what all there was to pay for has cost',
    shown: async ({ page }) =>
      await page.locator('.figure', { hasText: 'all assets' }).locator('.big').innerText(),
    figure: async (ask) => {
      const query = 'window=7d&exactWindow=true&aggregate=cluster&accumulate=true';
      const { data } = await ask<Assets>(`/model/assets?${query}`);
      return USD.format(sum(Object.values(data[0] ?? {}).map(({ totalCost }) => totalCost)));
    },
  },
  does: 'opens the cost of a node into lines that add up to it',
  async flow({ page, quiet }) {
    const row = page.getByRole('table', { name: 'Nodes' }).locator('tbody tr').first();
    const cost = await row.locator('td').first().innerText();
    await row.getByRole('link').first().click();
    await quiet();
    const lines = await page.locator('.made tbody tr:not(.part) td:last-child').allInnerTexts();
    const total = await page.locator('.made tfoot td').innerText();
    assert.equal(USD.format(usdOf(total)), cost);
    const away = Math.abs(sum(lines.map(usdOf)) - usdOf(total));
    assert.ok(away <= 0.00005 * (lines.length + 1), `${lines.join(' ')} is not ${total}`);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('.made').count(), 0);
  },
};
