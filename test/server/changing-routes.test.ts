/** Whether all that can be changed by a request is recorded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOwnServer } from '../support/servers/own-server.ts';

/**
 * They compute, and change nothing; a tool asks a route, which says what it changes. Samples that arrive each second are
 * counted in /metrics, and not recorded one by one.
 */
const UNRECORDED = [
  'POST /api/v1/write',
  'POST /cluster/requestsizer/plan',
  'POST /cluster/requestsizer/planV2',
  'POST /collection/query/total',
  'POST /collections/query/total',
  'POST /mcp',
  'POST /prediction/speccost',
];

test('every route that could change something says what it changes, or is known to change nothing that is recorded', async () => {
  const server = await startOwnServer(['--workers=1']);
  try {
    const silent = server.routes
      .filter(({ method, changes }) => method !== 'GET' && changes === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(silent.toSorted(), UNRECORDED.toSorted());
    const loud = server.routes.filter(
      ({ method, changes }) => method === 'GET' && changes !== undefined,
    );
    assert.deepEqual(loud, []);
  } finally {
    await server.stop();
  }
});
