/** Answers of many assets: whole for everybody, and no memory held for who leaves or stands still. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as passed } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { assetDay, node } from '../support/asset-days.ts';
import { folderOf } from '../support/columns-folder.ts';
import { startOwnServer, type OwnServer } from '../support/own-server.ts';

const ASSETS = 1000;
const PATH = '/assets?window=2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
/** A set is 5 MB of text with them: more than sockets hold. */
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

/** Until what answers hold is given back. */
async function heldOnly(bytes: number): Promise<void> {
  for (let i = 0; i < 100 && server.usedBytes() > bytes; i++) await passed(50);
  assert.equal(server.usedBytes(), bytes);
}

interface Body {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
}

test('everybody who asks at once gets all of it, and then nothing is held', async () => {
  await server.ask(`${PATH}&aggregate=type`);
  const heldBytes = server.usedBytes();
  const answers = await Promise.all(Array.from({ length: 10 }, () => server.ask(PATH)));
  for (const { status, text } of answers) {
    assert.equal(status, 200);
    assert.equal(text, answers[0]?.text);
  }
  const { data } = JSON.parse(answers[0]?.text ?? '') as Body;
  const costs = data.map((set) => Object.values(set).reduce((sum, { totalCost }) => sum + totalCost, 0)); // prettier-ignore
  assert.deepEqual(data.map((set) => Object.keys(set).length), [ASSETS, ASSETS]); // prettier-ignore
  assert.deepEqual(costs, [0, 1].map(() => (ASSETS * (ASSETS - 1)) / 2)); // prettier-ignore
  await heldOnly(heldBytes);
});

test('readers that stand still keep nobody from short answers, and leave nothing behind', async () => {
  await server.ask(`${PATH}&aggregate=type`);
  const heldBytes = server.usedBytes();
  const still = Array.from({ length: 10 }, () => {
    const asked = request(`${server.url}${PATH}`, (response) => response.pause());
    asked.on('error', () => undefined);
    asked.end();
    return asked;
  });
  await passed(500);
  for (let i = 0; i < 3; i++) {
    const { status } = await server.ask(`${PATH}&aggregate=type`);
    assert.equal(status, 200);
  }
  for (const asked of still) asked.destroy();
  await heldOnly(heldBytes);
  assert.deepEqual(server.errors, []);
});
