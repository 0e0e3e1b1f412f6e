/** The server and commands with a folder of days, with and without a source of samples. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { startServerProcess } from '../support/servers/server-process.ts';

const CLOCK = ['--now=2024-05-02T02:00:00Z', '--timezone=UTC', '--workers=1'];
const COMPUTE = '/model/allocation/compute?window=10m&aggregate=cluster';
const STORED = '/model/allocation?window=yesterday&aggregate=cluster';

const home = mkdtempSync(join(tmpdir(), 'prorata-one-world-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Body {
  readonly code: number;
  readonly message?: string;
  readonly hint?: string;
  readonly data: readonly Readonly<Record<string, unknown>>[] | null;
}

async function asked(url: string, path: string): Promise<Body> {
  return (await (await fetch(url + path)).json()) as Body;
}

describe('a data folder without a metrics store', { concurrency: 2 }, () => {
  test('has no demo beside it: what needs samples answers 503 and says how to name a store', async () => {
    const server = await startServerProcess([...CLOCK, `--data-dir=${join(home, 'none')}`]);
    try {
      const computed = await asked(server.url, COMPUTE);
      assert.equal(computed.code, 503);
      assert.match(computed.message ?? '', /there is no metrics store/);
      assert.match(computed.hint ?? '', /--metrics-url URL/);
      assert.equal((await asked(server.url, STORED)).code, 200);
    } finally {
      await server.stop();
    }
  });

  test('gets the days of the demo where that is wanted', async () => {
    const folder = join(home, 'demo');
    const flags = [...CLOCK, '--demo=true', `--data-dir=${folder}`, '--retention=1d'];
    const server = await startServerProcess(flags);
    try {
      assert.ok((await asked(server.url, COMPUTE)).data?.[0]?.['production']);
      let stored = await asked(server.url, STORED);
      for (const end = Date.now() + 60_000; Date.now() < end; await sleep(200)) {
        stored = await asked(server.url, STORED);
        if (stored.data?.[0]?.['production'] !== undefined) break;
      }
      assert.ok(stored.data?.[0]?.['production'], JSON.stringify(stored));
    } finally {
      await server.stop();
    }
    assert.ok(readdirSync(join(folder, 'sets')).some((name) => name.startsWith('allocations-')));
  });

  for (const [what, flags, said] of [
    [
      'a build without samples',
      ['build', `--data-dir=${join(home, 'build')}`],
      /there is no metrics store/,
    ],
    [
      'a computation without samples',
      ['compute', '--window=1h', `--data-dir=${join(home, 'build')}`],
      /there is no metrics store/,
    ],
    [
      'a store and the demo together',
      ['serve', '--metrics-url=http://127.0.0.1:1', '--demo=true'],
      /both a metrics store and the demo/,
    ],
    [
      'a store and the receiver together',
      ['serve', '--metrics-url=http://127.0.0.1:1', '--receive', `--data-dir=${home}`],
      /both a metrics store and the receiver, one of them is accepted\nstart with one of/,
    ],
    ['receiving without a folder', ['serve', '--receive'], /--receive needs a folder/],
    [
      'a build of samples that a server receives',
      ['build', '--receive', `--data-dir=${join(home, 'build')}`],
      /received samples are read by the server that has them/,
    ],
    [
      'a cluster controller of nobody knows which cluster',
      ['serve', '--cluster-controller=true', `--data-dir=${join(home, 'controller')}`],
      /need a metrics store or the demo/,
    ],
  ] as const) {
    test(`${what} is refused`, () => {
      const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...flags], {
        encoding: 'utf8',
        timeout: 60_000,
      });
      assert.notEqual(status, 0);
      assert.match(stderr, said);
    });
  }
});
