/** `/metrics`, put together from families and texts of several parts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EVERYBODY } from '../../src/http/caller.ts';
import { ownVisit } from '../../src/http/visit.ts';
import { Health } from '../../src/server/health/health.ts';

test('what a part tells as families and as text is of one moment, however long other parts take', async () => {
  const health = new Health('1.2.3');
  let version = 1;
  health.add(() => [
    { name: 'own_families', help: 'Own.', type: 'gauge', samples: [{ labels: {}, value: version }] },
  ]); // prettier-ignore
  health.addText(() => Buffer.from(`own_text ${version}\n`));
  health.add(async () => {
    await sleep(1);
    version = 2;
    return [];
  });
  try {
    const reply = await health.route().handle({
      caller: EVERYBODY,
      method: 'GET',
      path: '/metrics',
      query: '',
      body: new Uint8Array(),
      header: () => '',
      visit: ownVisit(),
      signal: new AbortController().signal,
    });
    const text = Buffer.isBuffer(reply.body) ? reply.body.toString() : '';
    assert.match(text, /^own_families\{\} 1$/m);
    assert.match(text, /^own_text 1$/m);
  } finally {
    health.close();
  }
});
