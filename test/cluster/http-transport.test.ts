/** Credentials for an API server: kubeconfigs, tokens that change, plugins, and faults of each. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { createClusterApi, openHttpTransport, type ClusterApi } from '../../src/cluster/index.ts';
import { SimulatedStore } from '../../src/demo/index.ts';
import { Fault } from '../../src/query/index.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import {
  kubeconfigTo,
  startScriptedCluster,
  type ScriptedCluster,
  type SeenCall,
  type Trouble,
} from '../support/servers/scripted-cluster.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-transport-'));
after(() => rmSync(home, { recursive: true, force: true }));
const { signal } = new AbortController();
const PLACE = { namespace: 'web', name: 'shop' };

let files = 0;
function file(text: string): string {
  const path = join(home, `file-${files++}`);
  writeFileSync(path, text);
  return path;
}

function started(script?: (call: SeenCall) => Trouble): Promise<ScriptedCluster> {
  const store = new SimulatedStore({ nowMs: () => 0 });
  store.put('Deployment', workload('web/shop'));
  return startScriptedCluster(store, script);
}

async function openApi(path: string): Promise<ClusterApi> {
  return createClusterApi(await openHttpTransport(path), { pause: () => Promise.resolve() });
}

describe('an API server', () => {
  test('gets the token, and connections are reused', async () => {
    const cluster = await started();
    const api = await openApi(cluster.kubeconfig);
    for (let i = 0; i < 3; i++) await api.get('Deployment', PLACE, signal);
    assert.deepEqual(
      new Set(cluster.calls.map(({ authorization }) => authorization)),
      new Set(['Bearer secret']),
    );
    assert.equal(new Set(cluster.calls.map(({ port }) => port)).size, 1);
    api.close();
    await cluster.stop();
  });

  test('gets a user and a password', async () => {
    const cluster = await started();
    const path = file(kubeconfigTo(cluster.url, '{ username: me, password: pass }'));
    const api = await openApi(path);
    await api.get('Deployment', PLACE, signal);
    assert.equal(cluster.calls[0]?.authorization, `Basic ${btoa('me:pass')}`);
    api.close();
    await cluster.stop();
  });

  test("P-K4: gets one more call after refusing a token, with the token file's new content", async () => {
    const token = file('old\n');
    const cluster = await started(({ authorization }) =>
      authorization === 'Bearer new' ? undefined : { does: 'refuse', status: 401 },
    );
    const user = `{ auth-provider: { name: tokenFile, config: { tokenFile: '${token}' } } }`;
    const api = await openApi(file(kubeconfigTo(cluster.url, user)));
    await assert.rejects(() => api.get('Deployment', PLACE, signal), { apiStatus: 401 });
    writeFileSync(token, 'new\n');
    assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
    const sent = cluster.calls.map(({ authorization }) => authorization);
    assert.deepEqual(sent, ['Bearer old', 'Bearer old', 'Bearer old', 'Bearer new']);
    api.close();
    await cluster.stop();
  });

  const NAMED: readonly (readonly [name: string, user: (path: string) => string])[] = [
    ['by its path', (path) => `{ tokenFile: '${path}' }`],
    ['beside its kubeconfig', (path) => `{ tokenFile: ${basename(path)} }`],
    ['before a token', (path) => `{ token: stale, tokenFile: '${path}' }`],
    ['in JSON', (path) => JSON.stringify({ tokenFile: path })],
  ];
  for (const [name, user] of NAMED)
    test(`gets the token of a file that is named ${name}, and the new one once it is renewed`, async () => {
      const token = file('old\n');
      let isOld = true;
      const cluster = await started(({ authorization }) =>
        authorization === (isOld ? 'Bearer old' : 'Bearer new')
          ? undefined
          : { does: 'refuse', status: 401 },
      );
      const api = await openApi(file(kubeconfigTo(cluster.url, user(token))));
      assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
      isOld = false;
      writeFileSync(token, 'new\n');
      assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
      const sent = cluster.calls.map(({ authorization }) => authorization);
      assert.deepEqual(sent, ['Bearer old', 'Bearer old', 'Bearer new']);
      api.close();
      await cluster.stop();
    });

  test('is named with the reason when the token file is missing', async () => {
    const user = `{ tokenFile: '${join(home, 'none')}' }`;
    const api = await openApi(file(kubeconfigTo('http://127.0.0.1:1', user)));
    await assert.rejects(api.get('Deployment', PLACE, signal), /credentials for .*ENOENT.*none/);
    api.close();
  });

  test("gets a plugin's token, and the plugin does not run for each call", async () => {
    const runs = file('');
    const credential = { kind: 'ExecCredential', status: { token: 'given' } };
    const script = `echo run >> ${runs}; echo '${JSON.stringify(credential)}'`;
    const exec = { command: 'sh', args: ['-c', script], apiVersion: 'client.authentication.k8s.io/v1' }; // prettier-ignore
    const cluster = await started();
    const api = await openApi(file(kubeconfigTo(cluster.url, JSON.stringify({ exec }))));
    for (let i = 0; i < 3; i++) await api.get('Deployment', PLACE, signal);
    assert.equal(cluster.calls.at(-1)?.authorization, 'Bearer given');
    assert.equal(readFileSync(runs, 'utf8'), 'run\n');
    api.close();
    await cluster.stop();
  });

  test("is named with the plugin's message when the plugin fails", async () => {
    const exec = { command: 'sh', args: ['-c', 'echo log in first >&2; exit 1'] };
    const path = file(kubeconfigTo('http://127.0.0.1:1', JSON.stringify({ exec })));
    const api = await openApi(path);
    await assert.rejects(
      () => api.get('Deployment', PLACE, signal),
      /credentials for http:\/\/127.0.0.1:1: log in first/,
    );
    api.close();
  });

  test('gets all calls below the path of its address', async () => {
    const cluster = await started();
    const api = await openApi(file(kubeconfigTo(`${cluster.url}/k8s/clusters/c-1/`)));
    assert.equal(await api.get('Deployment', PLACE, signal), undefined);
    const path = '/k8s/clusters/c-1/apis/apps/v1/namespaces/web/deployments/shop';
    assert.equal(cluster.calls[0]?.path, path);
    api.close();
    await cluster.stop();
  });

  test('is found in one of several files', async () => {
    const cluster = await started();
    const other = file('apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n');
    const api = await openApi([other, cluster.kubeconfig].join(delimiter));
    assert.equal((await api.get('Deployment', PLACE, signal))?.metadata.name, 'shop');
    api.close();
    await cluster.stop();
  });

  test('is named with the reason when it cannot be reached', async () => {
    const api = await openApi(file(kubeconfigTo('http://127.0.0.1:1')));
    await assert.rejects(
      () => api.get('Deployment', PLACE, signal),
      /cannot reach the Kubernetes API at http:\/\/127.0.0.1:1: .*ECONNREFUSED/,
    );
    api.close();
  });

  test('is given up when it does not answer a call', async () => {
    const cluster = await started(() => ({ does: 'say', text: '{', then: 'silence' }));
    const transport = await openHttpTransport(cluster.kubeconfig);
    const pause = (): Promise<void> => Promise.resolve();
    const api = createClusterApi(transport, { callTimeoutMs: 30, pause });
    await assert.rejects(
      () => api.get('Deployment', PLACE, signal),
      /nothing came from .* for 0.03 s/,
    );
    assert.equal(cluster.calls.length, 3);
    api.close();
    await cluster.stop();
  });
});

describe('a kubeconfig', () => {
  const BAD: readonly (readonly [string, string, RegExp])[] = [
    ['that is not there', '', /ENOENT/],
    ['that is no YAML', '{', /cannot be used/],
    ['of another kind', 'hello', /names no cluster/],
    ['without its context', kubeconfigTo('http://127.0.0.1:1').replace('test', 'other'), /names no cluster/], // prettier-ignore
    ['without a URL', kubeconfigTo('nowhere'), /'nowhere' is not a URL/],
    ['that would send a token unencrypted', kubeconfigTo('http://10.0.0.1'), /unencrypted/],
    [
      'whose server is named like this machine',
      kubeconfigTo('http://127.example.com'),
      /unencrypted/,
    ],
  ];
  for (const [name, text, why] of BAD) {
    test(`${name} is refused`, async () => {
      const path = text === '' ? join(home, 'none') : file(text);
      await assert.rejects(
        () => openHttpTransport(path),
        (error) => {
          assert.ok(error instanceof Fault, String(error));
          assert.equal(error.parameter, 'kubeconfig');
          assert.match(error.message, why);
          return true;
        },
      );
    });
  }
});
