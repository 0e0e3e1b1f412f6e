/** A folder that the server may not write to: mounted read-only, or of another user. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { importHistory } from '../../src/commands/import.ts';
import { startProrata, type Prorata } from '../support/servers/prorata.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from '../support/stores/saved-days.ts';
import { skipWithout } from '../support/servers/services.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOW = '--now=2026-01-20T00:00:00Z';
const PATH =
  '/model/allocation?window=2026-01-14T00:00:00Z,2026-01-17T00:00:00Z&aggregate=namespace';
const TOKEN = 'a-token-of-the-tests';
const IMPORT = ['src/prorata.js', 'import', 'allocations', '--replace', NOW];

const home = mkdtempSync(join(tmpdir(), 'prorata-read-only-'));
// The server's user must be able to read it.
chmodSync(home, 0o755);
after(() => rmSync(home, { recursive: true, force: true }));

/** Runs a program and its arguments with the folder of the first argument read-only. */
const MOUNTED = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';

interface Way {
  readonly name: string;
  readonly needs: readonly string[];
  readonly wrapper: (folder: string) => readonly string[];
}

const WAYS: readonly Way[] = [
  {
    name: 'mounted to be read alone',
    needs: ['unshare', 'mount'],
    wrapper: (folder) => ['unshare', '-m', 'sh', '-c', MOUNTED, folder],
  },
  {
    name: 'of another user',
    needs: ['setpriv'],
    wrapper: () => ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'],
  },
];

/** Why the test is skipped: programs are missing, or this user may not use them. */
function skipOf({ needs, wrapper }: Way): string | false {
  const missing = skipWithout(...needs);
  if (missing !== false) return missing;
  const probe = mkdtempSync(join(home, 'probe-'));
  const [program, ...args] = [...wrapper(probe), 'true'];
  if (spawnSync(program, args).status === 0) return false;
  assert.notEqual(process.env['REQUIRE_SERVICES'], '1', `${program} is not allowed here`);
  return `${program} is not allowed here`;
}

/** Stores days with these costs, from the day `first` on. */
async function store(folder: string, first: number, ...costs: readonly number[]): Promise<void> {
  const sets = costs.map((usd, i) =>
    savedSet(FIRST_MS + (first + i) * DAY_MS, { 'c/n/web/p/k': usd }),
  );
  const file = join(home, `${first}.json`);
  writeFileSync(file, savedAnswer(...sets));
  await importHistory(['allocations', file, '--data-dir', folder, '--quiet', NOW]);
}

interface Answer {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
  readonly partial?: boolean;
  readonly warnings?: readonly string[];
}

async function answerOf({ url }: Prorata): Promise<Answer> {
  const response = await fetch(`${url}${PATH}`);
  assert.equal(response.status, 200);
  return (await response.json()) as Answer;
}

const costsIn = ({ data }: Answer): (number | undefined)[] =>
  data.map((set) => set['web']?.totalCost);

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).map(String).toSorted();

for (const [place, way] of WAYS.entries()) {
  describe(`a folder ${way.name}`, { skip: skipOf(way) }, () => {
    const folder = join(home, `folder-${place}`);
    let server: Prorata;
    let files: string[] = [];
    before(async () => {
      mkdirSync(folder);
      await store(folder, 0, 1, 2);
      files = filesIn(folder);
      const token = join(home, 'token');
      writeFileSync(token, TOKEN);
      server = await startProrata(
        [`--data-dir=${folder}`, NOW, `--custom-cost-token-file=${token}`, '--workers=1'],
        way.wrapper(folder),
      );
    });
    after(() => server?.stop());

    test('is served without a lock, and log and readiness say that it is read-only', async () => {
      const answer = await answerOf(server);
      assert.deepEqual(costsIn(answer), [undefined, 2, 1]);
      const ready = await fetch(`${server.url}/readyz?verbose`);
      const { folder: shown } = (await ready.json()) as { folder: object };
      assert.deepEqual(shown, { path: folder, readOnly: true });
      assert.match(server.said(), new RegExp(`${folder} cannot be written: it is served as it is`));
      assert.deepEqual(filesIn(folder), files);
    });

    test('P-I1: requests that would write are refused, naming the folder', async () => {
      const cost = { start: '2026-01-14T00:00:00Z', end: '2026-01-15T00:00:00Z', domain: 'd', billedCost: 1, labels: {} }; // prettier-ignore
      const pushed = await fetch(`${server.url}/model/customCost?source=s&window=2026-01-14T00:00:00Z,2026-01-15T00:00:00Z`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(cost),
      }); // prettier-ignore
      assert.equal(pushed.status, 503);
      const { message, hint } = (await pushed.json()) as { message: string; hint: string };
      assert.equal(message, `cannot change ${folder}: this process may not write to it`);
      assert.match(hint, /give its owner the right to write, or mount it for writing/);
      const body = JSON.stringify({ name: 'a', category: 'b', groups: [{ selectors: { cloud: { filterString: 'service:"x"' } } }] }); // prettier-ignore
      const headers = { 'content-type': 'application/json' };
      const collected = await fetch(`${server.url}/model/collections`, {
        method: 'POST',
        body,
        headers,
      });
      assert.equal(collected.status, 503);
      assert.match(
        ((await collected.json()) as { message: string }).message,
        new RegExp(`^cannot write ${folder}/`),
      );
      const [program, ...args] = [
        ...way.wrapper(folder),
        process.execPath,
        ...IMPORT,
        join(home, '0.json'),
        `--data-dir=${folder}`,
      ];
      const imported = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(imported.status, 1);
      assert.match(
        imported.stderr,
        new RegExp(`cannot change ${folder}: this process may not write`),
      );
      assert.deepEqual(filesIn(folder), files);
    });

    test('sets that its writer adds are seen, and damaged ones are reported and stay in place', async () => {
      await store(folder, 2, 3);
      const deadlineMs = Date.now() + 120_000;
      let answer = await answerOf(server);
      while (costsIn(answer)[0] === undefined && Date.now() < deadlineMs) {
        await sleep(200);
        answer = await answerOf(server);
      }
      assert.deepEqual([costsIn(answer), answer.partial], [[3, 2, 1], undefined]);
      files = filesIn(folder);
      const [first = ''] = readdirSync(join(folder, 'sets')).toSorted();
      truncateSync(join(folder, 'sets', first), 300);
      await server.stop();
      server = await startProrata(
        [`--data-dir=${folder}`, NOW, '--workers=1'],
        way.wrapper(folder),
      );
      for (let time = 0; time < 2; time++) {
        const lacking = await answerOf(server);
        assert.deepEqual([costsIn(lacking), lacking.partial], [[3, 2, undefined], true]);
        assert.match(lacking.warnings?.join() ?? '', /2026-01-14T00:00:00\.000Z to .* damaged/);
      }
      const ready = await (await fetch(`${server.url}/readyz?verbose`)).text();
      assert.match(ready, /"notes":\["the stored allocations of 2026-01-14T.* are damaged/);
      assert.deepEqual(filesIn(folder), files);
    });
  });
}
