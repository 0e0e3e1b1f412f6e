/** How the page finds out where browsers sign in. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNUSED_LOGIN_FLAGS } from '../support/servers/login-world.ts';
import { startOwnServer } from '../support/servers/own-server.ts';

test('where browsers sign in, /login says so to anybody, and the page is open', async () => {
  const server = await startOwnServer(['--workers=1', ...UNUSED_LOGIN_FLAGS]);
  try {
    assert.equal((await server.ask('/whoami')).status, 401);
    assert.equal((await server.ask('/login', 'OPTIONS')).status, 204);
    assert.equal((await server.ask('/no-login', 'OPTIONS')).status, 401);
    for (const path of ['/', '/ui', '/ui/page.js', '/ui/page.css', '/ui/icon.svg']) {
      assert.equal((await server.ask(path)).status, 200, path);
    }
  } finally {
    await server.stop();
  }
});
