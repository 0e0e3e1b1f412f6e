/** The view of cost events. */
import assert from 'node:assert/strict';
import { sum, type ViewCase } from './view-case.ts';

interface Events {
  readonly data: readonly {
    readonly eventType: string;
    readonly properties: { readonly namespace: string; readonly name: string };
    readonly costPrediction: { readonly totalMonthlyRate: number };
  }[];
}

const CHANGE = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  signDisplay: 'always',
});

export const EVENTS_VIEW: ViewCase = {
  title: 'Events',
  key: 'e',
  query: '?view=events',
  states: [],
  number: {
    says: 'what all that came and went is a month',
    shown: async ({ page }) => (await page.locator('h1').innerText()).split(' ')[0] ?? '',
    figure: async (ask) => {
      const { data } = await ask<Events>('/model/audit/events');
      const rates = data.map(({ eventType, costPrediction: { totalMonthlyRate } }) =>
        eventType === 'add' ? totalMonthlyRate : -totalMonthlyRate,
      );
      return CHANGE.format(sum(rates)).replace('-', '−');
    },
  },
  does: 'chooses what went or came, and leads from a workload to what its pods cost',
  async flow({ page, quiet }) {
    const rows = page.getByRole('table', { name: 'Cost events' }).locator('tbody tr');
    const all = await rows.count();
    assert.ok(all > 0);
    await page.getByRole('combobox', { name: 'Came or went' }).selectOption('came');
    await quiet();
    const came = await rows.locator('td').first().innerText();
    assert.equal(came, 'came');
    assert.ok((await rows.count()) <= all);
    const workload = await rows.first().getByRole('link').innerText();
    await rows.first().getByRole('link').click();
    await quiet();
    const [namespace = ''] = workload.split('/');
    assert.match(page.url(), /view=allocations/);
    assert.ok((await page.locator('.crumbs').innerText()).includes(namespace));
  },
};
