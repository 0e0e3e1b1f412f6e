/** Who changed what, as the server that users run records it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { until } from '../http/front-ends.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-changes-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Entry {
  readonly time: string;
  readonly change: string;
  readonly action?: string;
  readonly who?: string;
  readonly from?: string;
  readonly request?: string;
  readonly route?: string;
  readonly of?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly outcome?: string;
  readonly status?: number;
  readonly apply?: string;
}

function entriesIn(path: string): Entry[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
}

interface Answer {
  readonly status: number;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  server: Pick<ServerProcess, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const reply = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: reply.status,
    id: reply.headers.get('x-request-id') ?? '',
    body: JSON.parse(await reply.text()) as Answer['body'],
  };
}

const COLLECTION = {
  name: 'shop',
  category: 'team',
  groups: [{ selectors: { kubernetes: { kind: 'container', filterString: 'namespace:"shop"' } } }],
};

function folderOf(name: string): string {
  const folder = join(home, name);
  mkdirSync(folder);
  return folder;
}

/** The demo's. */
const CLUSTER = 'production';
const FLAGS = ['--workers=1', '--refresh=0'];

describe('the log of changes', { concurrency: 2 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`${frontEnd}: tells who changed a collection, from where, and what it was before and after`, async () => {
      const folder = folderOf(`collections-${frontEnd}`);
      const path = join(folder, 'audit.ndjson');
      const tokens = join(home, `tokens-${frontEnd}.yaml`);
      const sha256 = createHash('sha256').update('secret-of-ann').digest('hex');
      writeFileSync(tokens, `- {name: ann, sha256: ${sha256}, roles: [admin]}\n`);
      const server = await startServerProcess([
        ...FLAGS,
        `--front-end=${frontEnd}`,
        `--data-dir=${folder}`,
        '--auth=tokens',
        `--tokens=${tokens}`,
      ]);
      const headers = { authorization: 'Bearer secret-of-ann' };
      try {
        const made = await send(server, 'POST', '/model/collection', COLLECTION, headers);
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const id = String(made.body['id']);
        const changed = { ...COLLECTION, name: 'web' };
        const replaced = await send(server, 'PUT', `/collections?id=${id}`, changed, {
          ...headers,
          'x-request-id': 'mine',
        });
        const removed = await send(server, 'DELETE', `/collection?id=${id}`, undefined, headers);
        const missing = await send(server, 'DELETE', `/collection?id=${id}`, undefined, headers);
        const taken = await send(server, 'PUT', '/admin/log-level', { level: 'debug' }, headers);
        assert.deepEqual(
          [replaced.status, removed.status, missing.status, taken.status],
          [200, 200, 404, 200],
        );
        const entries = entriesIn(path);
        const asked = entries.filter(({ action }) => action !== undefined);
        assert.deepEqual(
          asked.map(({ action, who, from, request, route, of, before, after: later }) => [
            action,
            who,
            from,
            request,
            route,
            of,
            before,
            later,
          ]),
          [
            ['collection.create', 'ann', '127.0.0.1', made.id, '/collection', id, null, made.body],
            [
              'collection.replace',
              'ann',
              '127.0.0.1',
              'mine',
              '/collections',
              id,
              made.body,
              replaced.body,
            ],
            [
              'collection.remove',
              'ann',
              '127.0.0.1',
              removed.id,
              '/collection',
              id,
              replaced.body,
              null,
            ],
            ['log.level', 'ann', '127.0.0.1', taken.id, '/admin/log-level', 'log', 'info', 'debug'],
          ],
        );
        for (const { change } of asked) {
          const outcome = entries.find(
            (each) => each.change === change && each.outcome !== undefined,
          );
          assert.deepEqual([outcome?.outcome, outcome?.status], ['done', 200]);
        }
        assert.equal(entries.length, 2 * asked.length);
        assert.ok(!readFileSync(path, 'utf8').includes('secret-of-ann'));
        await send(server, 'GET', '/admin/log-level', undefined, headers);
        assert.ok(
          server.lines.some((line) => line.includes('"route":"/admin/log-level"')),
          'debug logs requests',
        );
      } finally {
        assert.equal(await server.stop(), 0);
      }
    });
  }

  test('no change that was acknowledged is missing, whenever the server is killed', async () => {
    const folder = folderOf('killed');
    const path = join(folder, 'audit.ndjson');
    const acknowledged: string[] = [];
    for (let round = 0; round < 4; round++) {
      const server = await startServerProcess([
        ...FLAGS,
        `--data-dir=${folder}`,
        '--audit-log-size=1Ki',
        '--audit-log-files=1000',
      ]);
      const client = async (client: number): Promise<void> => {
        for (let i = 0; ; i++) {
          const made = await send(server, 'POST', '/collection', {
            ...COLLECTION,
            name: `${round} ${client} ${i}`,
          });
          if (made.status === 200) acknowledged.push(String(made.body['id']));
        }
      };
      const clients = Array.from({ length: 4 }, (_, i) => client(i).catch(() => undefined));
      const most = acknowledged.length + 5 + 3 * round;
      await until(() => acknowledged.length >= most, 'as many are acknowledged');
      process.kill(server.pid, 'SIGKILL');
      await Promise.all(clients);
    }
    const files = [path, ...Array.from({ length: 1000 }, (_, i) => `${path}.${i + 1}`)];
    const entries = files.flatMap(entriesIn);
    const done = new Set(
      entries.filter(({ outcome }) => outcome === 'done').map(({ change }) => change),
    );
    const recorded = new Set(entries.filter(({ change }) => done.has(change)).map(({ of }) => of));
    for (const id of acknowledged) assert.ok(recorded.has(id), `${id} is missing`);
    assert.ok(existsSync(`${path}.1`), 'files were rotated');
  });

  test('what cannot be recorded is refused with 503, and nothing is changed', async () => {
    const folder = folderOf('unwritable');
    const path = join(folder, 'audit.ndjson');
    mkdirSync(path);
    const server = await startServerProcess([...FLAGS, `--data-dir=${folder}`]);
    try {
      const refused = await send(server, 'POST', '/collection', COLLECTION);
      assert.equal(refused.status, 503);
      assert.match(String(refused.body['message']), /cannot be recorded, so nothing was changed/);
      assert.deepEqual((await send(server, 'GET', '/collections')).body, { collections: [] });
      const level = await send(server, 'PUT', '/admin/log-level', { level: 'debug' });
      assert.equal(level.status, 503);
      assert.deepEqual((await send(server, 'GET', '/admin/log-level')).body, { level: 'info' });
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      assert.match(metrics, /^prorata_audit_log_failures_total 2$/m);
      rmdirSync(path);
      assert.equal((await send(server, 'POST', '/collection', COLLECTION)).status, 200);
      assert.equal(entriesIn(path).length, 2);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  test('applies, undos and pushes are recorded with what they are of', async () => {
    const folder = folderOf('others');
    const path = join(folder, 'changes.ndjson');
    const server = await startServerProcess(
      [
        ...FLAGS,
        '--demo=true',
        `--data-dir=${folder}`,
        `--audit-log=${path}`,
        '--cluster-controller=true',
      ],
      { env: { CUSTOM_COST_TOKEN: 'pushing-pushing-pushing' } },
    );
    try {
      const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
      const push = `/customCost?source=datadog&window=${day}T00:00:00Z,${new Date(Date.parse(day) + 86_400_000).toISOString()}`;
      const line = JSON.stringify({
        start: `${day}T00:00:00Z`,
        end: `${day}T12:00:00Z`,
        domain: 'datadog',
        billedCost: 12.5,
      });
      const pushed = await send(server, 'POST', push, line, {
        authorization: 'Bearer pushing-pushing-pushing',
      });
      const stranger = await send(server, 'POST', push, line, { authorization: 'Bearer guess' });
      const plan = {
        [CLUSTER]: {
          web: [
            {
              Name: 'nobody',
              Kind: 'deployment',
              ContainerPlans: {
                app: { TargetCPURequestMillicores: 100, TargetRAMRequestBytes: 67108864 },
              },
            },
          ],
        },
      };
      const applied = await send(server, 'POST', '/cluster/requestsizer/apply', plan);
      const undone = await send(server, 'POST', '/cluster/requestsizer/undo', {});
      assert.deepEqual(
        [pushed.status, stranger.status, applied.status, undone.status],
        [200, 401, 200, 404],
        JSON.stringify([pushed, applied, undone]),
      );
      const entries = entriesIn(path);
      const asked = entries.filter(({ action }) => action !== undefined);
      const applies = entries
        .filter(({ outcome }) => outcome !== undefined)
        .map(({ apply }) => typeof apply);
      assert.deepEqual(
        asked.map(({ action, of, before }) => [action, of, before]),
        [
          ['costs.push', 'external/datadog', null],
          ['requests.apply', CLUSTER, null],
          ['requests.undo', CLUSTER, { apply: 'the last' }],
        ],
      );
      assert.deepEqual(applies, ['undefined', 'string', 'undefined']);
      assert.deepEqual([entries.at(-1)?.outcome, entries.at(-1)?.status], ['failed', 404]);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
});
