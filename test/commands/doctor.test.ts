/** `prorata doctor` as users run it: what it finds, and that it tells no secret. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Finding } from '../../src/server/doctor/findings.ts';
import { ROWS } from '../../src/settings/config.ts';
import type { Setting } from '../../src/settings/settings.ts';
import { COMMAND } from '../support/command.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from '../support/stores/saved-days.ts';
import { startScriptedStore, streaming, type Reply } from '../support/stores/scripted-store.ts';

const SECRET = 'hunter2hunter2hunter2';
const home = mkdtempSync(join(tmpdir(), 'prorata-doctor-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function doctor(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const args = [COMMAND, 'doctor', ...flags];
  const own = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const child = spawn(process.execPath, args, { env: { ...own, ...env } });
  let [out, error] = ['', ''];
  child.stdout.on('data', (part) => (out += String(part)));
  child.stderr.on('data', (part) => (error += String(part)));
  return new Promise((resolve) => void child.on('close', (code) => resolve({ code, out, error })));
}

/** By name; settings, which come last, may have that of a finding. */
function findingsOf({ out, error }: Said): ReadonlyMap<string, Finding> {
  assert.notEqual(out, '', error);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return new Map(findings.toReversed().map((each) => [each.name, each]));
}

/** Every setting whose value is, or may hold, a secret. */
function secretRows(): Setting<unknown>[] {
  return ROWS.filter((row) => [row.isSecret, row.isUrl, row.hasSecretValues].includes(true));
}

const VALUES: Readonly<Record<string, string>> = {
  metricsUrl: `http://user:${SECRET}@127.0.0.1:1/p?token=${SECRET}#${SECRET}`,
  metricsHeader: `Authorization: Bearer ${SECRET}\nX-Key: ${SECRET}`,
  billUrl: `cloud/aws=https://user:${SECRET}@127.0.0.1:1/a.csv?X-Amz-Signature=${SECRET} external/x=https://127.0.0.1:1/b.csv?sig=${SECRET}`,
  awsEndpointUrl: `https://user:${SECRET}@127.0.0.1:1`,
  remoteWriteHeader: `Authorization: Bearer ${SECRET}`,
  remoteWriteUrl: `http://user:${SECRET}@127.0.0.1:1/api/v1/write?token=${SECRET}`,
};

describe('prorata doctor', { concurrency: 2 }, () => {
  test('S-13: tells no secret of any setting or URL, as text or JSON', async () => {
    const rows = secretRows();
    assert.ok(rows.length >= 8, `only ${rows.length} settings have secrets`);
    const env = Object.fromEntries(
      rows.flatMap(({ key, env: name = '' }) =>
        name === '' ? [] : [[name, VALUES[key] ?? SECRET]],
      ),
    );
    for (const [name, value] of Object.entries(env)) {
      // One at a time too, as some contradict one another.
      const said = await doctor(['--format=json'], { [name]: value });
      assert.ok(!(said.out + said.error).includes(SECRET), `${name}:\n${said.out}${said.error}`);
    }
    const together = { ...env, METRICS_TOKEN: '', METRICS_USER: 'me' };
    const text = await doctor(['--format=text'], together);
    assert.ok(!(text.out + text.error).includes(SECRET), text.out);
    const json = await doctor(['--format=json', '--metrics-url=http://127.0.0.1:1'], together);
    const told = findingsOf(json);
    assert.equal(told.get('customCostToken')?.value, '*** (from CUSTOM_COST_TOKEN)');
    assert.equal(told.get('metricsUrl')?.value, 'http://127.0.0.1:1 (from --metrics-url)');
    assert.equal(
      told.get('metricsHeader')?.value,
      'Authorization: ***\nX-Key: *** (from METRICS_HEADER)',
    );
    assert.equal(told.get('timezone')?.value, 'UTC (default)');
  });

  test('tells of a store that does not answer and of a folder that is not there, and ends with 1', async () => {
    const flags = ['--metrics-url=http://127.0.0.1:1', `--data-dir=${join(home, 'none')}`];
    const said = await doctor([...flags, '--format=json']);
    assert.equal(said.code, 1);
    const told = findingsOf(said);
    assert.equal(told.get('answers')?.state, 'bad');
    assert.match(told.get('answers')?.value ?? '', /cannot reach|cannot read|refused/);
    assert.equal(told.get('folder')?.state, 'bad');
    const text = await doctor(flags);
    assert.match(text.out, /^X answers /m);
    assert.match(text.out, /\n2 bad, \d+ to look at\n$/);
  });

  test('tells how far the clock of the store is off, its first sample, and which metrics it lacks', async () => {
    const aheadMs = 3_600_000;
    const answer: Reply = (response, request): unknown => {
      if (!request.path.startsWith('/api/v1/query')) return streaming()(response, request);
      response.writeHead(200, {
        'Content-Type': 'application/json',
        Date: new Date(Date.now() + aheadMs).toUTCString(),
      });
      return response.end('{"status":"success","data":{"resultType":"vector","result":[]}}');
    };
    const store = await startScriptedStore(answer);
    try {
      const flags = [`--metrics-url=${store.url}`, '--metrics-reader=remote-read'];
      const said = await doctor([...flags, '--format=json']);
      const told = findingsOf(said);
      const clock = told.get('its clock is ahead by');
      assert.equal(clock?.state, 'warning');
      assert.ok(Math.abs(Number.parseInt(clock.value, 10) - aheadMs / 1000) <= 2, clock.value);
      assert.match(told.get('reader')?.value ?? '', /^remote-read/);
      const missing = told.get('metrics that are not');
      assert.equal(missing?.state, 'bad');
      assert.match(missing.value, /kube_pod_container_resource_requests/);
      assert.equal(told.get('metrics that are there')?.value, 'none');
      assert.equal(said.code, 1);
    } finally {
      await store.stop();
    }
  });

  const DAMAGES: readonly (readonly [name: string, damage: (path: string) => void, told: RegExp])[] =
    [
      ['missing', (path) => rmSync(path), /its file is missing/],
      ['cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)), /its file has \d+ of \d+ bytes/],
      ['overwritten at its begin', (path) => writeFileSync(path, readFileSync(path).fill(0, 0, 8)), /does not begin and end/],
      ['overwritten at its end', (path) => writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, -8), Buffer.alloc(8)])), /does not begin and end/],
    ]; // prettier-ignore

  test('tells of each set whose file is missing, cut or overwritten, and ends with 1', async () => {
    const folder = join(home, 'damaged');
    const saved = join(home, 'saved.json');
    const day = (place: number): object => savedSet(FIRST_MS + place * DAY_MS, { 'c/n/s/p/k': 1 });
    writeFileSync(saved, savedAnswer(day(0), day(1)));
    const args = ['import', 'allocations', saved, '--data-dir', folder];
    const imported = spawnSync(process.execPath, [COMMAND, ...args]);
    assert.equal(imported.status, 0, imported.stderr.toString());
    const flags = ['--demo=true', `--data-dir=${folder}`, '--format=json'];
    assert.equal(findingsOf(await doctor(flags)).get('damaged')?.value, 'none');
    const [file = ''] = readdirSync(join(folder, 'sets'));
    const path = join(folder, 'sets', file);
    const whole = readFileSync(path);
    for (const [name, damage, reason] of DAMAGES) {
      damage(path);
      const said = await doctor(flags);
      assert.equal(said.code, 1, name);
      const { value = '', state } = findingsOf(said).get('damaged') ?? {};
      assert.equal(state, 'bad', name);
      assert.match(value, reason);
      assert.ok(value.startsWith(`sets/${file}: `) && !value.includes(';'), value);
      writeFileSync(path, whole);
    }
  });

  test('asks a server that runs, which tells admins alone', async () => {
    const tokens = join(home, 'tokens.yaml');
    const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex');
    const line = (name: string, role: string): string =>
      `- {name: ${name}, sha256: ${sha256(`token-of-${name}`)}, roles: [${role}]}\n`;
    writeFileSync(tokens, line('ann', 'admin') + line('bob', 'operator'));
    for (const name of ['ann', 'bob']) writeFileSync(join(home, name), `token-of-${name}\n`);
    const folder = join(home, 'data');
    const flags = ['--workers=1', '--demo=true', '--retention=1d', `--data-dir=${folder}`];
    const server = await startServerProcess([...flags, '--auth=tokens', `--tokens=${tokens}`], {
      env: { CUSTOM_COST_TOKEN: SECRET },
    });
    try {
      const ask = (name: string): Promise<Said> =>
        doctor([`--url=${server.url}`, `--token-file=${join(home, name)}`, '--format=json']);
      const refused = await ask('bob');
      assert.equal(refused.code, 1);
      assert.match(refused.error, /answered 403: .*needs the role admin/);
      const said = await ask('ann');
      assert.equal(said.code, 0, said.error);
      const told = findingsOf(said);
      assert.equal(told.get('store')?.value, 'the demo store');
      assert.equal(told.get('damaged')?.value, 'none');
      assert.equal(told.get('jobs that fail')?.value, 'none');
      assert.match(told.get('up for')?.value ?? '', /^\d+ s$/);
      assert.match(told.get('dataDir')?.value ?? '', /data \(from --data-dir\)$/);
      assert.match(
        told.get('metrics that are there')?.value ?? '',
        /kube_pod_container_resource_requests/,
      );
      assert.ok(!said.out.includes(SECRET));
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  test('wrong usage ends with 2', async () => {
    const said = await doctor(['--format=xml']);
    assert.equal(said.code, 2);
    assert.match(said.error, /--format: 'xml' is not text or json/);
  });
});
