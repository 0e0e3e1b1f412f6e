/** `prorata predict` as a caller sees it: exit code and both streams. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { predictionRoutes, type Prediction } from '../../src/prediction/index.ts';
import { openArrowFiles } from '../../src/storage/index.ts';
import {
  allocationColumns,
  startSetsServer,
  type SetsServer,
} from '../support/servers/sets-server.ts';
import { dayKey, encoded, newArena } from '../support/stores/stored-sets.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-predict-'));
const folder = join(home, 'data');
const file = join(home, 'web.yaml');

/** One core and one GiB all day, at 0.1 and 0.05 USD an hour. */
const DAY = {
  allocations: allocationColumns(0, [
    {
      pod: 'web-1',
      cpuCores: 1,
      ramGiB: 1,
      more: { cpuCost: 2.4, ramCost: 1.2, cpuCoreUsageHours: 6, ramByteUsageHours: 6 * 2 ** 30 },
    },
  ]),
};
const MANIFEST = `kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  template: { spec: { containers: [{ name: main, resources: { requests: { cpu: 1, memory: 1Gi } } }] } }
`;
/** The cost of doubling the workload. */
const CHANGE = (0.1 + 0.05) * 730;
const OWN = ['--data-dir', folder, '--now', '2024-05-02T00:00:00Z', '--cluster-id', 'cluster-one'];

let server: SetsServer;
before(async () => {
  writeFileSync(file, MANIFEST);
  const sets = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
  await sets.write([await encoded(dayKey(0), DAY.allocations)]);
  await sets.close();
  server = await startSetsServer([DAY], predictionRoutes);
});
after(async () => {
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(args: readonly string[], input: string = ''): Promise<Ended> {
  const env = { ...process.env, DATA_DIR: '' };
  const child = spawn(process.execPath, [COMMAND, 'predict', ...args], { env });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  await once(child, 'close');
  return { code: child.exitCode, ...said };
}

test('a folder gives a table of amounts after the change, costs before and after, and their sum', async () => {
  const within = ['--window', '1d', '--fail-above', '110'];
  const { code, stdout, stderr } = await run(['-f', file, ...OWN, ...within]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(stdout.split('\n'), [
    'namespace  workload        cores   GiB  before   after   change',
    'default    deployment/web   2.00  2.00  109.50  219.00  +109.50',
    '           USD a month      2.00  2.00  109.50  219.00  +109.50',
    '',
  ]);
});

test('JSON is the same from a folder and from a server', async () => {
  const here = await run(['-f', '-', ...OWN, '--window', '1d', '--json'], MANIFEST);
  const address = await proxied(server);
  const there = await run([
    '-f',
    file,
    '--url',
    address.url,
    '--clusterID',
    'cluster-one',
    '--window',
    '1d',
    '--json',
  ]);
  address.close();
  assert.deepEqual([here.code, there.code], [0, 0], here.stderr + there.stderr);
  assert.equal(there.stdout, here.stdout);
  const [only] = JSON.parse(here.stdout) as readonly Prediction[];
  assert.ok(Math.abs((only?.costChange.totalMonthlyRate ?? NaN) - CHANGE) < 1e-9, here.stdout);
});

/** Serves the routes of a test server on a real address. */
async function proxied(to: SetsServer): Promise<{ readonly url: string; close(): void }> {
  const front = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      to.ask(path, query, Buffer.concat(parts).toString('utf8')).then(
        ({ status, body }) => response.writeHead(status).end(JSON.stringify(body)),
        () => response.destroy(),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/`, close: () => void front.close() };
}

test('a cost above the limit ends with 3 and shows the excess', async () => {
  const above = await run(['-f', file, ...OWN, '--window', '1d', '--fail-above', '100']);
  assert.deepEqual(
    [above.code, above.stderr],
    [3, 'prorata: costs change by $109.50 a month, more than $100\n'],
  );
});

const MISUSES: readonly (readonly [args: readonly string[], code: number, said: RegExp])[] = [
  [[], 2, /predict needs a file/],
  [['-f', file, ...OWN, '--fail-above', 'much'], 2, /--fail-above: 'much' is no amount/],
  [['-f', file, ...OWN, '--window', 'soon'], 2, /--window: 'soon'/],
  [['-f', join(home, 'none.yaml'), ...OWN], 1, /cannot read .*none\.yaml/],
  [['-f', file, '--url', 'http://127.0.0.1:1'], 1, /cannot ask http:\/\/127\.0\.0\.1:1/],
];

for (const [args, code, said] of MISUSES)
  test(`${args.slice(2).join(' ').replaceAll(home, '') || args.join(' ') || 'nothing'} ends with ${code}`, async () => {
    const ended = await run(args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, said);
    assert.equal(ended.stdout, '');
  });
