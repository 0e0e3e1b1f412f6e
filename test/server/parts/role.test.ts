/** What a server may be told to do, and what it answers then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig, type Config } from '../../../src/settings/config.ts';
import { checkRole, routesOf } from '../../../src/server/parts/role.ts';
import type { Route } from '../../../src/http/index.ts';

const configOf = (...flags: readonly string[]): Config => loadConfig(flags, {}, () => '').config;
const BUCKET = '--store=s3://costs/prorata';
const METRICS = '--metrics-url=http://prometheus:9090';

test('a role is accepted where it has something to do', () => {
  for (const flags of [
    [],
    ['--role=all'],
    ['--role=serve', BUCKET],
    ['--role=serve', BUCKET, METRICS, '--data-dir=/data'],
    ['--role=build', BUCKET, METRICS],
    ['--role=build', BUCKET, '--demo=true'],
  ])
    checkRole(configOf(...flags));
});

test('a role that has nothing to do is refused, with what is missing', () => {
  for (const [flags, message] of [
    [['--role=serve'], /^--role serve shares sets .* and they are in memory$/],
    [['--role=build', '--data-dir=/data', METRICS], /in a folder, which is of one process at a time$/],
    [['--role=build', '--store=clickhouse://prorata@ch:8123/costs', METRICS], /in ClickHouse, where no lease says who builds$/],
    [['--role=build', BUCKET], /^--role build has no metrics store to build from$/],
    [['--role=build', BUCKET, METRICS, '--refresh=0'], /^--role build builds nothing with --refresh 0$/],
    [['--role=serve', BUCKET, '--receive=true', '--data-dir=/data'], /^--role serve receives no samples/],
  ] as const)
    assert.throws(() => checkRole(configOf(...flags)), { message, parameter: '--role' });
  assert.throws(() => configOf('--role=both'), /--role: 'both' is not all, build, serve/);
  assert.throws(() => configOf('--lease=1s'), /--lease: '1s' is not a duration of 3s to 10m/);
}); // prettier-ignore

test('a builder answers how it is, and nothing of costs', () => {
  const routes = ['/healthz', '/model/allocation', '/metrics', '/mcp', '/readyz'].map(
    (path) => ({ path }) as Route,
  );
  const paths = (role: Config['role']): string[] =>
    routesOf({ role }, routes).map(({ path }) => path);
  assert.deepEqual(paths('build'), ['/healthz', '/metrics', '/readyz']);
  assert.deepEqual(paths('serve'), paths('all'));
  assert.equal(paths('all').length, routes.length);
});
