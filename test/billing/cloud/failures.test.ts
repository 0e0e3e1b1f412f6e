/** What cloud costs do when bills are damaged, clients leave and many ask at once. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { importFocus } from '../../../src/commands/import-focus.ts';
import { exactTotal, GENERATED, writeGenerated } from '../../support/focus-sample.ts';
import { errorOf, startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';

const SEPTEMBER = 'window=2024-09-01T00:00:00Z,2024-10-01T00:00:00Z';
const QUERY = `/model/cloudCost?${SEPTEMBER}&aggregate=service`;
const folder = mkdtempSync(join(tmpdir(), 'prorata-cloud-'));

let server: OwnServer;
before(async () => {
  const sample = writeGenerated(folder);
  await importFocus([sample, '--as=cloud', `--data-dir=${folder}`, '--workers=1', '--quiet']);
  server = await startOwnServer([`--data-dir=${folder}`, '--workers=1']);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
  assert.deepEqual(server.errors, []);
});

test('an imported bill is in the answer whole, as one set or by day', async () => {
  for (const unit of ['true', 'false', 'week', 'hour']) {
    const answer = await server.ask(
      `/model/cloudCost?${SEPTEMBER}&aggregate=service&accumulate=${unit}`,
    );
    const { data } = JSON.parse(answer.text) as { data: { sets: { cloudCosts: Record<string, { invoicedCost: { cost: number } }> }[] } }; // prettier-ignore
    const costs = data.sets.flatMap(({ cloudCosts }) => Object.values(cloudCosts));
    const sum = costs.reduce((total, { invoicedCost }) => total + invoicedCost.cost, 0);
    const billed = exactTotal(GENERATED, 'BilledCost');
    assert.ok(Math.abs(sum - billed) < 1e-9, `${unit}: ${sum}`);
  }
});

test('HEAD has no body, and many requests at once get the same answer', async () => {
  const head = await server.ask(QUERY, 'HEAD');
  assert.deepEqual([head.status, head.text], [200, '']);
  const answers = await Promise.all(Array.from({ length: 60 }, () => server.ask(QUERY)));
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]?.text]);
});

test('a client that leaves early holds no memory', async () => {
  await server.ask(QUERY);
  const heldBytes = server.usedBytes();
  await Promise.all(
    Array.from({ length: 30 }, async (_, i) => {
      const asked = request(`${server.url}${QUERY}&accumulate=hour&limit=${i + 1}`, {
        agent: false,
      });
      asked.on('error', () => undefined);
      asked.end();
      await new Promise((resolve) => setTimeout(resolve, i));
      asked.destroy();
    }),
  );
  assert.equal((await server.ask(QUERY)).status, 200);
  assert.equal(server.usedBytes(), heldBytes);
});

test('a damaged bill is an error, never a smaller bill', async () => {
  const copy = `${folder}-copy`;
  cpSync(folder, copy, { recursive: true });
  const sets = join(copy, 'sets');
  const [file = ''] = readdirSync(sets).filter((name) => name.startsWith('bill-cloud'));
  const bytes = readFileSync(join(sets, file));
  for (let at = 200; at < bytes.length / 2; at += 64) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(join(sets, file), bytes);
  const other = await startOwnServer([`--data-dir=${copy}`, '--workers=1']);
  try {
    for (const path of ['', '/view/table', '/view/totals', '/view/graph']) {
      const answer = await other.ask(`/model/cloudCost${path}?${SEPTEMBER}&aggregate=service`);
      assert.equal(answer.status, 503, answer.text);
      assert.match(errorOf(answer).message, /bill/);
      assert.match(errorOf(answer).hint ?? '', /import/);
    }
  } finally {
    await other.stop();
    rmSync(copy, { recursive: true });
  }
});
