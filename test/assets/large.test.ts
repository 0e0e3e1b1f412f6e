/** Answers of many assets: complete for each client, and no memory held for one that leaves or stalls. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as passed } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';

const ASSETS = 1000;
const PATH = '/model/assets?window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
/** With so many assets a set is 5 MB of text: more than sockets hold. */
const LABELS = JSON.stringify({ about: 'x'.repeat(4000) });

let server: OwnServer;
let folder = '';
before(async () => {
  const rows = Array.from({ length: ASSETS }, (_, i) =>
    node('c', `n${i}`, { providerID: `id-${i}`, cpuCost: i, labels: LABELS }),
  );
  folder = await folderOf([await assetDay(0, rows), await assetDay(1, rows)]);
  server = await startOwnServer([
    '--workers=1',
    `--data-dir=${folder}`,
    '--now=2024-05-09T12:00:00Z',
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits until answers have released their memory. */
async function heldOnly(bytes: number): Promise<void> {
  for (let i = 0; i < 100 && server.usedBytes() > bytes; i++) await passed(50);
  assert.equal(server.usedBytes(), bytes);
}

interface Body {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
}

test('simultaneous requests all get complete answers, and then no memory is held', async () => {
  await server.ask(`${PATH}&aggregate=type`);
  const heldBytes = server.usedBytes();
  const answers = await Promise.all(Array.from({ length: 10 }, () => server.ask(PATH)));
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.equal(text, answers[0]?.text);
  }
  const { data } = JSON.parse(answers[0]?.text ?? '') as Body;
  const costs = data.map((set) =>
    Object.values(set).reduce((sum, { totalCost }) => sum + totalCost, 0),
  );
  assert.deepEqual(
    data.map((set) => Object.keys(set).length),
    [ASSETS, ASSETS],
  );
  assert.deepEqual(
    costs,
    [0, 1].map(() => (ASSETS * (ASSETS - 1)) / 2),
  );
  await heldOnly(heldBytes);
});

test('stalled readers do not delay short answers, and their memory is released', async () => {
  await server.ask(`${PATH}&aggregate=type`);
  const heldBytes = server.usedBytes();
  const still = Array.from({ length: 10 }, () => {
    const sent = request(`${server.url}${PATH}`, (response) => response.pause());
    sent.on('error', () => undefined);
    sent.end();
    return sent;
  });
  await passed(500);
  for (let i = 0; i < 3; i++) {
    const { status } = await server.ask(`${PATH}&aggregate=type`);
    assert.equal(status, 200);
  }
  for (const sent of still) sent.destroy();
  await heldOnly(heldBytes);
  assert.deepEqual(server.errors, []);
});
