/** The view of cloud and external costs, and the bills that it shows. */
import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { focusCsv, type FocusRow } from '../../support/stores/focus-rows.ts';
import { sum, USD, usdOf, type Ask, type ViewCase } from './view-case.ts';

interface Totals {
  readonly data: { readonly combined: { readonly cost: number } };
}

export const CLOUD_VIEW: ViewCase = {
  title: 'Cloud',
  key: 'b',
  query: '?view=cloud',
  states: [
    '?view=cloud&more=charges:providerID,billed:service:"RDS"',
    '?view=cloud&open=external:datadog',
    '?view=cloud&window=2024-02-01,2024-02-03',
  ],
  number: {
    says: 'what the cloud charged',
    shown: async ({ page }) =>
      await page.locator('.figure', { hasText: 'charged' }).locator('.big').innerText(),
    figure: async (ask) => {
      const path = '/model/cloudCost/view/totals?window=7d&exactWindow=true';
      return USD.format((await ask<Totals>(path)).data.combined.cost);
    },
  },
  does: 'opens a charge into steps from its list price that add up to it, and leads to its resources',
  async flow({ page, quiet }) {
    const charges = page.getByRole('table', { name: 'Charges', exact: true });
    const row = charges.locator('tbody tr').first();
    const cost = await row.locator('td').first().innerText();
    await row.locator('.number').click();
    await quiet();
    const lines = await page.locator('.made tbody td:last-child').allInnerTexts();
    const total = await page.locator('.made tfoot td').innerText();
    assert.equal(USD.format(usdOf(total)), cost);
    assert.ok(lines.length === 3, lines.join(' '));
    assert.ok(Math.abs(sum(lines.map(usdOf)) - usdOf(total)) <= 0.0002, lines.join(' '));
    await page.keyboard.press('Escape');
    await row.getByRole('rowheader').getByRole('link').click();
    await quiet();
    assert.match(page.url(), /charges:providerID/);
    assert.equal(await page.locator('.figure .big').first().innerText(), cost);
    await page.getByRole('link', { name: 'Show all' }).click();
    await quiet();
    assert.ok((await charges.locator('tbody tr').count()) > 1);
  },
};

const CLOUD: readonly FocusRow[] = [
  { ServiceName: 'RDS', ServiceCategory: 'Databases', ResourceId: 'orders', ListCost: '60', BilledCost: '54', EffectiveCost: '48' },
  { ServiceName: 'RDS', ServiceCategory: 'Databases', ResourceId: 'users', ListCost: '20', BilledCost: '18', EffectiveCost: '16' },
  { ServiceName: '<i>S3</i> \u202eקובץ', ServiceCategory: 'Storage', ResourceId: 'x'.repeat(253), ListCost: '9', BilledCost: '9', EffectiveCost: '9' },
]; // prettier-ignore
const EXTERNAL: readonly FocusRow[] = [
  { ProviderName: 'datadog', ServiceName: 'Metrics', ServiceCategory: 'Observability', ResourceId: 'm', ListCost: '31', BilledCost: '31', EffectiveCost: '31' },
]; // prettier-ignore

/** Bills of half a month, which no node or volume of a cluster is in. @param days dates */
export function writeBills(folder: string, days: readonly string[]): void {
  for (const [source, rows] of [
    ['cloud/main', CLOUD],
    ['external/saas', EXTERNAL],
  ] as const) {
    mkdirSync(join(folder, source), { recursive: true });
    const file = join(folder, source, 'bill.csv');
    writeFileSync(file, focusCsv(...days.flatMap((day) => rows.map((row) => ({ ...row, ...on(day) })))));
    // Files that are still being written are left for later.
    utimesSync(file, 1, 1);
  }
} // prettier-ignore

/** @throws where they are not within 20 s */
export async function billsAreRead(ask: Ask): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  for (const path of ['/model/cloudCost/status', '/model/customCost/status']) {
    while ((await ask<{ readonly data: readonly object[] }>(path)).data.length === 0) {
      assert.ok(Date.now() < deadlineMs, `${path} tells of no bill`);
      await sleep(50);
    }
  }
}

function on(day: string): FocusRow {
  const month = day.slice(0, 7);
  return {
    BillingPeriodStart: `${month}-01T00:00:00Z`,
    BillingPeriodEnd: `${month}-28T00:00:00Z`,
    ChargePeriodStart: `${day}T00:00:00Z`,
    ChargePeriodEnd: `${day}T12:00:00Z`,
  };
}
