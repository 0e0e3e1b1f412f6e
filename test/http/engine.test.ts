import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);

test('the native engine is the one whose hazards were measured', () => {
  const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>;
  };
  const { version, integrity } = lock.packages['node_modules/uWebSockets.js'] ?? {};
  assert.equal(version, '20.0.8');
  assert.match(integrity ?? '', /^sha512-EziGwZOMH8Y09erf/);
  const native = new URL('node_modules/uWebSockets.js/dist/bin/uws_linux_x64_115.node', root);
  const sha256 = createHash('sha256').update(readFileSync(native)).digest('hex');
  assert.equal(sha256, '6f8d96d761a64beddb060f1f7f0e617dd293ed127ec1d57507aa561a0083171e');
});

test('headers are written in one place for each engine', () => {
  const folder = new URL('src/http/', root);
  const writers = readdirSync(folder).filter((file) =>
    /\.(writeHeader|writeHead|setHeader)\(/.test(readFileSync(new URL(file, folder), 'utf8')),
  );
  assert.deepEqual(writers.toSorted(), ['node.ts', 'uws.ts']);
});
