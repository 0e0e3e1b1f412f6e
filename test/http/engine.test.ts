import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

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
  const native = new URL('node_modules/uWebSockets.js/dist/bin/uws_linux_x64_115.node', root);
  const sha256 = createHash('sha256').update(readFileSync(native)).digest('hex');
  assert.equal(sha256, '6f8d96d761a64beddb060f1f7f0e617dd293ed127ec1d57507aa561a0083171e');
});

test('S-2: each engine writes headers in one place', () => {
  const folder = new URL('src/http/', root);
  const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .filter((path) =>
      /\.(writeHeader|writeHead|setHeader)\(/.test(readFileSync(new URL(path, folder), 'utf8')),
    );
  assert.deepEqual(writers.toSorted(), ['node/front-end.ts', 'uws/front-end.ts']);
});
