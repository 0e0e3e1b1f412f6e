/** TLS: an API server with its own authority, our certificate, and an authority that changes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClusterApi, openHttpTransport } from '../../src/cluster/index.ts';
import { requireService, skipWithout } from '../support/servers/services.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-cluster-tls-'));
const servers: Server[] = [];
after(() => servers.forEach((server) => server.close().closeAllConnections()));
after(() => rmSync(home, { recursive: true, force: true }));
const { signal } = new AbortController();
const PLACE = { namespace: 'web', name: 'shop' };
const OBJECT = { metadata: { ...PLACE, uid: 'u', resourceVersion: '1' } };

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate that is its own authority. */
function newPair(name: string): Pair {
  const [cert, key] = [join(home, `${name}.crt`), join(home, `${name}.key`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, ...subject];
  execFileSync(requireService('openssl') ?? '', args, { stdio: 'ignore' });
  return { cert, key };
}

async function listening(pair: Pair, port: number = 0, ca?: string): Promise<Server> {
  const options = { cert: readFileSync(pair.cert), key: readFileSync(pair.key) };
  const mutual = ca === undefined ? {} : { ca: readFileSync(ca), requestCert: true };
  const server = createServer({ ...options, ...mutual }, (_, response) => {
    response.end(JSON.stringify(OBJECT));
  }).listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return server;
}

function configFor(server: Server, cluster: object, user: object = {}): string {
  const path = join(home, `config-${Math.random()}`);
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // JSON is YAML.
  const config = {
    'current-context': 'test',
    clusters: [{ name: 'here', cluster: { server: url, ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'test', context: { cluster: 'here', user: 'me' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function deploymentName(path: string): Promise<string | undefined> {
  const pause = (): Promise<void> => Promise.resolve();
  const api = createClusterApi(await openHttpTransport(path), { pause });
  try {
    return (await api.get('Deployment', PLACE, signal))?.metadata.name;
  } finally {
    api.close();
  }
}

async function stop(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

describe('an API server with its own authority', { skip: skipWithout('openssl') }, () => {
  test('is trusted with its authority, as file or data, and refused without it', async () => {
    const [own, other] = [newPair('own'), newPair('other')];
    const server = await listening(own);
    const data = readFileSync(own.cert).toString('base64');
    assert.equal(
      await deploymentName(configFor(server, { 'certificate-authority': own.cert })),
      'shop',
    );
    assert.equal(
      await deploymentName(configFor(server, { 'certificate-authority-data': data })),
      'shop',
    );
    assert.equal(
      await deploymentName(configFor(server, { 'insecure-skip-tls-verify': true })),
      'shop',
    );
    for (const cluster of [{}, { 'certificate-authority': other.cert }]) {
      await assert.rejects(
        deploymentName(configFor(server, cluster)),
        /cannot reach .*self-signed/,
      );
    }
    await stop(server);
  });

  test('gets our certificate', async () => {
    const [own, me] = [newPair('mutual'), newPair('me')];
    const server = await listening(own, 0, me.cert);
    const user = { 'client-certificate': me.cert, 'client-key': me.key };
    const cluster = { 'certificate-authority': own.cert };
    assert.equal(await deploymentName(configFor(server, cluster, user)), 'shop');
    await assert.rejects(deploymentName(configFor(server, cluster)), /cannot reach .*certificate/);
    await stop(server);
  });

  test('P-K4: may change its authority: the new one is read from its file', async () => {
    const [first, second] = [newPair('first'), newPair('second')];
    const authority = join(home, 'authority.crt');
    copyFileSync(first.cert, authority);
    const server = await listening(first);
    const config = configFor(server, { 'certificate-authority': authority });
    const transport = await openHttpTransport(config);
    const api = createClusterApi(transport, { pause: () => Promise.resolve() });
    assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
    const { port } = server.address() as AddressInfo;
    await stop(server);
    const renewed = await listening(second, port);
    await assert.rejects(api.get('Deployment', PLACE, signal), /cannot reach/);
    copyFileSync(second.cert, authority);
    // Happens after a minute too, or after a refusal.
    transport.renew();
    assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
    api.close();
    await stop(renewed);
  });
});
