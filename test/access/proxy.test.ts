/** Callers that a proxy names: believed from its addresses, ignored from all others. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { trustedBy } from '../../src/access/proxy.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const GROUPS = '--group-roles=finance=viewer,platform=operator';
const FLAGS = ['--demo=true', '--workers=1', '--auth=proxy', GROUPS];
const ANA = { 'x-forwarded-user': 'ana', 'x-forwarded-groups': 'staff, platform,finance' };

async function asked(
  server: OwnServer,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<[status: number, body: string]> {
  const reply = await fetch(`${server.url}${path}`, { headers });
  return [reply.status, await reply.text()];
}

/** @param headers names and values in turn */
async function askedRaw(
  server: OwnServer,
  headers: readonly string[],
): Promise<[status: number, body: string]> {
  const all = [...headers, 'Host', '127.0.0.1'];
  const sent = request(`${server.url}/whoami`, { headers: all, agent: false });
  sent.end();
  const [reply] = (await once(sent, 'response')) as [IncomingMessage];
  return [reply.statusCode ?? 0, await text(reply)];
}

for (const frontEnd of FRONT_END_NAMES)
  test(`S-12: ${frontEnd}: a proxy that is trusted tells who asks`, async () => {
    const trusted = '--trusted-proxies=127.0.0.0/8';
    const server = await startOwnServer([...FLAGS, trusted, `--front-end=${frontEnd}`]);
    try {
      const [status, whoami] = await asked(server, '/whoami', ANA);
      const roles = ['operator', 'viewer'];
      const data = { name: 'ana', roles, filter: null, expires: null, isSignedIn: true };
      assert.deepEqual([status, JSON.parse(whoami)], [200, { code: 200, data }]);
      assert.equal((await asked(server, '/whoami', {}))[0], 401);
      assert.equal((await asked(server, '/none', {}))[0], 401);
      assert.equal((await asked(server, '/healthz', {}))[0], 200);
      const twice = { ...ANA, 'x-forwarded-user': 'ana, root' };
      assert.equal((await asked(server, '/whoami', twice))[0], 401);
      const ana = Object.entries(ANA).flat();
      for (const repeated of ['X-Forwarded-User', 'X-Forwarded-Groups']) {
        const [status, body] = await askedRaw(server, [...ana, repeated, 'platform']);
        assert.equal(status, 401, body);
        assert.match(body, new RegExp(`${repeated.toLowerCase()} came more than once`));
      }
      const nobody = { 'x-forwarded-user': 'bob', 'x-forwarded-groups': 'staff' };
      const [refused, why] = await asked(server, '/version', nobody);
      assert.equal(refused, 403);
      assert.match(why, /needs the role viewer: bob has no role/);
    } finally {
      await server.stop();
    }
  });

test('S-12: what others than the trusted proxies tell is ignored', async () => {
  const flags = [...FLAGS, '--trusted-proxies=10.0.0.0/8,::2', '--proxy-user-header=X-User'];
  const server = await startOwnServer(flags);
  try {
    for (const headers of [ANA, { 'x-user': 'ana', ...ANA }, {}])
      for (const path of ['/whoami', '/none', '/allocation?window=7d']) {
        const [status, body] = await asked(server, path, headers);
        assert.equal(status, 401, body);
        assert.match(body, /has to come through the proxy/);
      }
  } finally {
    await server.stop();
  }
});

test('a server that trusts no proxy does not start with --auth proxy', async () => {
  await assert.rejects(startOwnServer(FLAGS), /needs the addresses of the proxies/);
});

const TRUSTED: readonly (readonly [address: string, isTrusted: boolean])[] = [
  ['10.1.2.3', true],
  ['10.255.255.255', true],
  ['11.0.0.1', false],
  ['192.168.1.7', true],
  ['192.168.1.8', false],
  ['fd00::1', true],
  ['fd00:0000:0000:0000:0000:0000:0000:0001', true],
  ['fe80::1', false],
  ['', false],
  ['10.0.0.0/8', false],
];

for (const [address, isTrusted] of TRUSTED)
  test(`the address '${address}' is ${isTrusted ? 'trusted' : 'not trusted'}`, () => {
    assert.equal(trustedBy(['10.0.0.0/8', '192.168.1.7', 'fd00::/8'])(address), isTrusted);
  });
