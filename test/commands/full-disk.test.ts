/** A server that starts on a full disk: its folder is served read-only. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importHistory } from '../../src/commands/import.ts';
import { startProrata, type Prorata } from '../support/servers/prorata.ts';
import { skipWithout } from '../support/servers/services.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from '../support/stores/saved-days.ts';

const NOW = '--now=2026-01-20T00:00:00Z';
const PATH =
  '/model/allocation?window=2026-01-14T00:00:00Z,2026-01-17T00:00:00Z&aggregate=namespace';
const TOKEN = 'a-token-of-the-tests';

const home = mkdtempSync(join(tmpdir(), 'prorata-full-disk-'));
after(() => rmSync(home, { recursive: true, force: true }));

/**
 * Runs a program and its arguments with a disk of 1 MiB at the folder of the first argument: with the
 * files of the second argument, and full.
 */
const FILLED = [
  'mount -t tmpfs -o size=1m full "$0"',
  'cp -a "$1/." "$0"',
  '{ cat /dev/zero > "$0/filler" 2>/dev/null || true; }',
  'shift',
  'exec "$@"',
].join(' && ');
const onFullDisk = (folder: string, files: string): readonly string[] => [
  'unshare',
  '-m',
  'sh',
  '-c',
  FILLED,
  folder,
  files,
];

/** Why the tests are skipped: programs are missing, or this user may not mount. */
function skipOf(): string | false {
  const missing = skipWithout('unshare', 'mount');
  if (missing !== false) return missing;
  const [probe, files] = [mkdtempSync(join(home, 'probe-')), mkdtempSync(join(home, 'none-'))];
  const [program, ...args] = [...onFullDisk(probe, files), 'true'];
  if (spawnSync(program, args).status === 0) return false;
  assert.notEqual(process.env['REQUIRE_SERVICES'], '1', 'a disk cannot be mounted here');
  return 'a disk cannot be mounted here';
}

interface Refusal {
  readonly message: string;
  readonly hint: string;
}

describe('a folder on a full disk', { skip: skipOf() }, () => {
  const [folder, files] = [join(home, 'folder'), join(home, 'files')];
  let server: Prorata;
  before(async () => {
    mkdirSync(folder);
    mkdirSync(files);
    chmodSync(home, 0o755);
    const answer = join(home, 'days.json');
    const days = [1, 2].map((usd, i) => savedSet(FIRST_MS + i * DAY_MS, { 'c/n/web/p/k': usd }));
    writeFileSync(answer, savedAnswer(...days));
    await importHistory(['allocations', answer, '--data-dir', files, '--quiet', NOW]);
    const token = join(home, 'token');
    writeFileSync(token, TOKEN);
    server = await startProrata(
      [`--data-dir=${folder}`, NOW, `--custom-cost-token-file=${token}`, '--demo', '--workers=1'],
      onFullDisk(folder, files),
    );
  });
  after(() => server?.stop());

  test('is served, with a warning in the log and in the readiness', async () => {
    const response = await fetch(`${server.url}${PATH}`);
    assert.equal(response.status, 200);
    const { data } = (await response.json()) as {
      data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
    };
    assert.deepEqual(
      data.map((set) => set['web']?.totalCost),
      [undefined, 2, 1],
    );
    const warning = `the disk of ${folder} is full: it is served read-only and nothing is kept; make room and restart`;
    assert.ok(server.said().includes(warning), server.said());
    const ready = await fetch(`${server.url}/readyz?verbose`);
    assert.equal(ready.status, 200);
    const { folder: shown } = (await ready.json()) as { folder: object };
    assert.deepEqual(shown, { path: folder, readOnly: true, notes: [warning] });
  });

  test('answers on demand, which needs no disk', async () => {
    const { status } = await fetch(`${server.url}/model/allocation/compute?window=1h`);
    assert.equal(status, 200);
  });

  const cost = { start: '2026-01-14T00:00:00Z', end: '2026-01-15T00:00:00Z', domain: 'd', billedCost: 1, labels: {} }; // prettier-ignore
  const collection = { name: 'a', category: 'b', groups: [{ selectors: { cloud: { filterString: 'service:"x"' } } }] }; // prettier-ignore
  const writes: readonly (readonly [path: string, body: object, message: string])[] = [
    [
      '/model/customCost?source=s&window=2026-01-14T00:00:00Z,2026-01-15T00:00:00Z',
      cost,
      `cannot change ${folder}: its disk was full when this process started`,
    ],
    [
      '/model/collections',
      collection,
      `cannot write ${folder}/collections.json: its folder is served read-only`,
    ],
  ];
  for (const [path, body, expected] of writes)
    test(`refuses a write to ${path} with 503, also once there is room`, async () => {
      rmSync(`/proc/${server.pid}/root${folder}/filler`, { force: true });
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { message, hint } = (await response.json()) as Refusal;
      assert.deepEqual([response.status, message], [503, expected]);
      assert.match(hint, /restart this process/);
      const seen = readdirSync(`/proc/${server.pid}/root${folder}`).toSorted();
      assert.deepEqual(seen, readdirSync(files).toSorted());
    });
});
