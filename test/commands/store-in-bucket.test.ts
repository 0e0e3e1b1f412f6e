/** Days that one process builds into a bucket and others answer from, as users start them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { COMMAND } from '../support/command.ts';
import { fileOf, readRecorded } from '../support/recorded-files.ts';
import {
  startRecordedServers,
  withoutTag,
  type RecordedAnswer,
} from '../support/recorded-answers.ts';
import { keyOf } from '../support/recorded-request.ts';
import { RECORDED_GROUPS } from '../support/recorded-requests.ts';
import { startCloud, type ScriptedCloud } from '../support/servers/scripted-cloud.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { s3Answer, s3Script, s3Variables, type S3Script } from '../support/stores/s3-script.ts';

const CLOCK = ['--now=2024-05-03T08:00:00Z', '--timezone=UTC', '--workers=1'];
const ALL_STORED = /^0,(\d+) of \1 days are stored\n$/;
const QUESTION =
  '/model/allocation?window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z&aggregate=namespace';

const home = mkdtempSync(join(tmpdir(), 'prorata-bucket-'));
let script: S3Script;
let cloud: ScriptedCloud;
let env: Record<string, string>;
before(async () => {
  script = { ...s3Script('costs'), pageKeys: 1000 };
  cloud = await startCloud((request) => s3Answer(script, request));
  env = s3Variables(cloud.origin);
});
after(() => {
  cloud.close();
  rmSync(home, { recursive: true, force: true });
});

async function prorata(args: readonly string[]): Promise<[code: number | null, out: string]> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  await once(child, 'close');
  return [child.exitCode, Buffer.concat(parts).toString()];
}

async function answered(url: string): Promise<[status: number, tag: string | null, body: string]> {
  const response = await fetch(url);
  return [response.status, response.headers.get('etag'), await response.text()];
}

test('days that one process builds into a bucket are answered by two others, from the columns they need', async () => {
  const store = ['--store=s3://costs/eu/', ...CLOCK];
  const build = ['build', '--demo=true', '--window=2d', '--quiet', ...store];
  assert.match((await prorata(build)).join(), ALL_STORED);
  const serving = ['--demo=false', '--refresh=0', ...store];
  const servers = await Promise.all(
    ['one', 'two'].map((folder) =>
      startServerProcess([...serving, `--data-dir=${folder}`], { cwd: home, env }),
    ),
  );
  const [one, two] = await Promise.all(servers.map(({ url }) => answered(url + QUESTION)));
  assert.equal(one?.[0], 200, one?.[2]);
  assert.deepEqual(one, two, 'answers and entity tags are alike');
  const [first] = servers;
  const [, , ready] = await answered(`${first?.url}/readyz?verbose`);
  const { store: state } = JSON.parse(ready) as {
    store: { store: string; read: { bytes: number } };
  };
  assert.equal(state.store, 's3://costs/eu/');
  assert.ok(state.read.bytes > 0, 'it came from the bucket');
  // What another process writes is answered soon.
  const more = ['build', '--demo=true', '--window=4d', '--quiet', ...store];
  assert.match((await prorata(more)).join(), ALL_STORED);
  const earlier = QUESTION.replace('05-02', '05-01').replace('05-03', '05-02');
  const wroteMs = Date.now();
  while ((await answered(`${first?.url}${earlier}`))[2].includes('"data":[{}]')) {
    assert.ok(Date.now() - wroteMs < 30_000, 'it is never seen');
  }
  assert.deepEqual(await Promise.all(servers.map((server) => server.stop())), [0, 0]);
  assert.deepEqual(readdirSync(join(home, 'one', 'cache')), [], 'the cache is gone');
  const [code, report] = await prorata(['fsck', '--store=s3://costs/eu/', '--json']);
  const { damages, sets } = JSON.parse(report) as { damages: unknown[]; sets: number };
  assert.deepEqual([code, damages], [0, []]);
  assert.ok(sets >= 3);
  const doctor = await prorata(['doctor', '--demo=true', ...store]);
  assert.match(doctor[1], /folder +s3:\/\/costs\/eu\/\n.*sets +\d+, /);
});

/** The gate has them from a folder; from a bucket they are asked by STORES=1. */
const skip = process.env['STORES'] === undefined ? 'STORES=1 asks all recorded requests' : false;
test(
  'all recorded requests are answered from a bucket as from a folder, to the byte',
  { skip },
  async () => {
    for (const workers of [1, 2, 4]) {
      script.files.clear();
      const servers = await startRecordedServers({
        workers,
        moved: (folder) => {
          copied(folder);
          return { flags: ['--store=s3://costs/'], env };
        },
      });
      let asked = 0;
      // What is pushed meanwhile gets names by chance in a bucket, and tags are made of names.
      let isPushed = false;
      const differing: string[] = [];
      for (const [group, members] of RECORDED_GROUPS) {
        const recorded = readRecorded(group);
        for (const request of members) {
          const answer = await servers.ask(request);
          const expected = recorded[keyOf(request)];
          asked++;
          const { method, path } = request;
          const isOfPushed = isPushed && path.startsWith('/model/customCost/');
          const told = (one: RecordedAnswer | undefined): string =>
            JSON.stringify(isOfPushed && one ? withoutTag(one) : one);
          isPushed ||= method === 'POST' && path.includes('customCost') && answer.status < 300;
          if (told(answer) === told(expected)) continue;
          differing.push(`${fileOf(group)} ${keyOf(request)}`);
        }
      }
      await servers.stop();
      assert.deepEqual(differing, [], `of ${asked} with ${workers} workers`);
      assert.ok(asked >= 300);
    }
  },
);

/** A folder's store as objects. */
function copied(folder: string): void {
  for (const part of ['', 'sets/']) {
    for (const entry of readdirSync(join(folder, part), { withFileTypes: true })) {
      const isStored = part === 'sets/' || /^(manifest-\d+|newest)\.json$/.test(entry.name);
      if (!entry.isFile() || !isStored) continue;
      const content = readFileSync(join(folder, part, entry.name));
      script.files.set(part + entry.name, { content, etag: `"${entry.name.length}"` });
    }
  }
}
