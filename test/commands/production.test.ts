/** The server beside nothing but what `npm prune --omit=dev` leaves. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lockedPackages, type LockedFile } from '../../scripts/packages.ts';
import { bundleFolder } from '../../src/bundle.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'prorata-production-'));
const [tree, config] = [join(home, 'tree'), join(home, 'prorata.yaml')];
/** It needs no other package; its builds for all platforms are not copied. */
const LARGE = 'node_modules/uWebSockets.js';

let url = '';
let stop = (): unknown => undefined;

before(async () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockedFile;
  const installed = lockedPackages(lock, new Set())
    .filter(({ use, isPlatformBuild }) => use === 'installed' && !isPlatformBuild)
    .map(({ folder }) => folder);
  const sources = ['src', 'workers', 'scripts', 'package.json', 'package-lock.json'];
  for (const path of [...sources, relative(ROOT, bundleFolder()), ...installed]) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    if (path === LARGE) symlinkSync(join(ROOT, path), join(tree, path));
    else cpSync(join(ROOT, path), join(tree, path), { recursive: true });
  }
  writeFileSync(config, 'timezone: Europe/Berlin\ndemo: true\nrefresh: 0\nport: 0\n');
  const child = spawn(
    process.execPath,
    [join(tree, 'src/prorata.js'), 'serve', '--config', config],
    {
      cwd: home,
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  stop = (): boolean => child.kill('SIGKILL');
  const ended = once(child, 'exit');
  const told: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    told.push(line);
    if (!line.includes('prorata is listening')) continue;
    url = (JSON.parse(line) as { url: string }).url;
    return;
  }
  await ended;
  assert.fail(told.join('\n'));
});

after(() => {
  stop();
  rmSync(home, { recursive: true, force: true });
});

const POD =
  'kind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: b, resources: {requests: {cpu: 1}}}]}\n';

/** By package: zones by luxon, YAML, shapes of bodies by ajv, integer programs by highs, workers by Piscina. */
const REQUESTS: readonly (readonly [string, RequestInit])[] = [
  ['/model/allocation/compute?window=today&aggregate=namespace', {}],
  ['/prediction/speccost?clusterID=production&defaultNamespace=default', { method: 'POST', body: POD }],
  ['/collection', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"a","category":"b","groups":[]}' }],
  ['/savings/clusterSizingETL?window=1d', {}],
]; // prettier-ignore

test('S-20: without the packages of development every kind of request is answered', async () => {
  for (const [path, options] of REQUESTS) {
    const answer = await fetch(url + path, options);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${text.slice(0, 300)}`);
  }
});
