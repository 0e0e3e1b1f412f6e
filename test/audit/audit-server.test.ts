/** The cost events audit over HTTP, on the demo's cluster. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { errorOf, startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';

let on: BundleServer;
let off: BundleServer;

before(async () => {
  on = await startBundleServer(['--cost-events-audit=true']);
  off = await startBundleServer([]);
});
after(async () => {
  await Promise.all([on.stop(), off.stop()]);
});

test('switched off, the audit answers 403 and names the switch', async () => {
  const answer = await off.ask('/model/audit/events');
  assert.equal(answer.status, 403);
  assert.match(errorOf(answer).message, /costEventsAudit\.enabled/);
  assert.match(errorOf(answer).hint ?? '', /COST_EVENTS_AUDIT_ENABLED=true/);
});

test('switched on, the audit answers code and data, with and without /model', async () => {
  for (const path of ['/model/audit/events', '/audit/events?count=5']) {
    const answer = await on.ask(path);
    assert.equal(answer.status, 200);
    const { code, data } = JSON.parse(answer.text) as { code: number; data: unknown[] };
    assert.deepEqual([code, Array.isArray(data)], [200, true]);
  }
});

test('a wrong value is 400 in the one error form', async () => {
  const answer = await on.ask('/model/audit/events?filterEventTypes=update');
  const { code, parameter, hint } = errorOf(answer);
  assert.deepEqual([answer.status, code, parameter], [400, 400, 'filterEventTypes']);
  assert.match(hint ?? '', /filterEventTypes=delete/);
});

test('P-K5: /readyz?verbose shows the state of watching', async () => {
  const { text } = await on.ask('/readyz?verbose');
  const { costEventsAudit } = JSON.parse(text) as { costEventsAudit: object };
  assert.deepEqual(costEventsAudit, { deployment: 'following', statefulset: 'following' });
});

test('events outlive the process where they are stored in the data folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-audit-'));
  const flags = [
    '--cost-events-audit=true',
    '--cost-events-persist=true',
    '--demo=true',
    `--data-dir=${folder}`,
  ];
  const line = { eventType: 'add', resourceType: 'deployment', timestamp: '2024-05-01T00:00:00.000000001Z', properties: { cluster: 'c', name: 'n', namespace: 's' }, costPrediction: { totalMonthlyRate: 1 } }; // prettier-ignore
  // The last line was cut as the process died.
  writeFileSync(join(folder, 'cost-events.ndjson'), `${JSON.stringify(line)}\n{"eventType":`);
  const server = await startBundleServer(flags);
  try {
    const { text } = await server.ask('/audit/events?filterNamespaces=s');
    assert.deepEqual(JSON.parse(text), { code: 200, data: [line] });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});

test('keeping events without a folder is refused at the start', async () => {
  const flags = ['--cost-events-audit=true', '--cost-events-persist=true'];
  await assert.rejects(startBundleServer(flags), /costEventsAudit\.persist.*no folder/);
});
