/** A bill of a stranger beside others, in the server as users start it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServerProcess } from '../support/servers/server-process.ts';
import { focusParquet, type ParquetForm } from '../support/stores/focus-parquet.ts';
import { focusCsv } from '../support/stores/focus-rows.ts';

const FORM: ParquetForm = { rowGroupSize: 1000, codec: 'SNAPPY', isText: false };
const WITHIN_MS = 60_000;

const home = mkdtempSync(join(tmpdir(), 'prorata-hostile-bill-'));
after(() => rmSync(home, { recursive: true, force: true }));

function put(source: string, content: Uint8Array): void {
  const folder = join(home, 'bills/cloud', source, '2024-09');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.parquet'), content);
  // Files that have just changed are not read yet.
  utimesSync(join(folder, 'a.parquet'), 1e9, 1e9);
}

interface Ready {
  readonly bills?: { readonly failing: readonly string[] };
}

test('Parquet that tells of 2^62 rows is named by /readyz?verbose, others are kept, and the server goes on', async () => {
  put('other', focusParquet(focusCsv({ BilledCost: '7' }), FORM));
  const hostile = focusParquet(focusCsv({}), FORM, (groups) => {
    for (const group of groups) group.num_rows = 2n ** 62n;
  });
  put('hostile', hostile);
  const flags = [`--data-dir=${join(home, 'data')}`, `--bill-folder=${join(home, 'bills')}`];
  const server = await startServerProcess(['--demo', '--workers=1', ...flags]);
  const told = async <Told>(path: string): Promise<Told> =>
    (await (await fetch(`${server.url}${path}`)).json()) as Told;
  try {
    let failing: readonly string[] = [];
    let kept: readonly { readonly key: string }[] = [];
    for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(100)) {
      failing = (await told<Ready>('/readyz?verbose')).bills?.failing ?? [];
      kept = (await told<{ data: typeof kept }>('/model/cloudCost/status')).data;
      if (failing.length > 0 && kept.length > 0) break;
    }
    assert.deepEqual(
      kept.map(({ key }) => key),
      ['other'],
    );
    assert.equal(failing.length, 1);
    const [why = ''] = failing;
    assert.match(why, /^cloud\/hostile\/2024-09: .*a\.parquet is damaged, as Parquet: \d+ rows$/);
  } finally {
    assert.equal(await server.stop(), 0);
  }
});
