import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AlteredBuild,
  buildFor,
  BUILDS,
  checkBuild,
  installedFile,
  type Platform,
} from '../../src/http/uws/builds.ts';

const root = new URL('../../', import.meta.url);

test('S-20: the native engine has the version whose pitfalls were examined', () => {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string; engines?: unknown }>;
  };
  const { version, integrity, engines } = lock.packages['node_modules/uWebSockets.js'] ?? {};
  assert.equal(version, '20.0.8');
  // The package asks for Node 22, which its binary below does not: left in, every npm ci would warn.
  assert.equal(engines, undefined, 'take engines of uWebSockets.js out of package-lock.json again');
  assert.match(integrity ?? '', /^sha512-EziGwZOMH8Y09erf/);
  for (const major of [24, 26]) {
    const name = `@uwsjs/linux-x64-${major}`;
    assert.equal(lock.packages[`node_modules/${name}`]?.version, '20.69.0', name);
    assert.match(BUILDS[`${name}/uws.node`] ?? '', /^[0-9a-f]{64}$/);
  }
});

test('S-20: every installed build of the native engine has the SHA-256 of the released one', () => {
  const installed = Object.entries(BUILDS).flatMap(([path, sha256]) => {
    const file = installedFile(path);
    return file === undefined ? [] : [{ file, sha256 }];
  });
  assert.ok(installed.length > 0);
  for (const { file, sha256 } of installed) checkBuild(file, sha256);
});

test('S-20: a native file with other bytes is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-engine-'));
  try {
    const file = join(folder, 'uws.node');
    writeFileSync(file, 'other bytes');
    assert.throws(
      () => checkBuild(file, 'a'.repeat(64)),
      (error) =>
        error instanceof AlteredBuild && error.message.startsWith(`${file} is not the rel`),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const LINUX: Platform = { platform: 'linux', arch: 'x64', node: '24.22.3', modules: '137' };
const PACK = 'uWebSockets.js/dist/bin';
const CHOICES: readonly (readonly [Partial<Platform>, string | undefined])[] = [
  [{ node: '20.20.2', modules: '115' }, `${PACK}/uws_linux_x64_115.node`],
  [{ node: '22.23.5', modules: '127' }, `${PACK}/uws_linux_x64_127.node`],
  [{ node: '22.23.5', modules: '127', arch: 'arm64' }, `${PACK}/uws_linux_arm64_127.node`],
  [{ node: '20.20.2', modules: '115', platform: 'darwin' }, `${PACK}/uws_darwin_x64_115.node`],
  [{}, '@uwsjs/linux-x64-24/uws.node'],
  [{ node: '26.12.1', modules: '147' }, '@uwsjs/linux-x64-26/uws.node'],
  [{ arch: 'arm64' }, undefined],
  [{ platform: 'darwin' }, undefined],
  [{ node: '25.1.0', modules: '141' }, undefined],
  [{ node: '23.0.0', modules: '131' }, undefined],
  [{ node: '20.20.2', modules: '115', arch: 's390x' }, undefined],
];
for (const [given, path] of CHOICES) {
  const { platform, arch, node } = { ...LINUX, ...given };
  test(`Node ${node} on ${platform}-${arch} loads ${path ?? 'no native engine'}`, () => {
    assert.equal(buildFor({ ...LINUX, ...given }), path);
  });
}

test('S-2: each engine writes headers in one place', () => {
  const folder = new URL('src/http/', root);
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) =>
      /\.(writeHeader|writeHead|setHeader)\(/.test(readFileSync(new URL(path, folder), 'utf8')),
    );
  assert.deepEqual(writers.toSorted(), ['node/front-end.ts', 'uws/front-end.ts']);
});
