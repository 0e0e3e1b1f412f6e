/**
 * The Roles that are shipped permit what a server of their tier calls, and nothing else: the server as
 * users run it, switched on as the manifests do it, asks an API server that refuses all else.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { followObjects } from '../../src/agent/index.ts';
import {
  collectionPath,
  createClusterApi,
  KINDS,
  openHttpTransport,
} from '../../src/cluster/index.ts';
import { SimulatedStore } from '../../src/demo/index.ts';
import { CONTROLLER_KINDS } from '../../src/request-sizing/apply/controller.ts';
import {
  differences,
  grantsOf,
  rightFor,
  shippedOf,
  SHIPPED,
  textOf,
  TIERS,
  type Right,
} from '../support/cluster-rights.ts';
import { workload } from '../support/fleets/cluster-objects.ts';
import { environmentOf, manifestsIn, manifestText } from '../support/manifests.ts';
import { startScriptedCluster, type ScriptedCluster } from '../support/servers/scripted-cluster.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { row } from '../support/servers/sizing-cluster.ts';

const CLUSTER = 'eu-1';
const PATH = '/cluster/requestsizer';
/** The namespace that apply.yaml is applied to, and one that it is not. */
const [OPENED, CLOSED] = ['web', 'shop'];
const WITHIN_MS = 120_000;

/** @param changed what becomes of a manifest's text, for planted breaks */
function grantsOfTier(tier: string, changed: (text: string) => string = (text) => text): Right[] {
  return (TIERS[tier] ?? []).flatMap((name) =>
    grantsOf(manifestsIn(changed(manifestText(name))), OPENED),
  );
}

/** Rights that calls needed, each once. */
function needsOf({ calls }: ScriptedCluster): Right[] {
  return [...new Map(calls.map(rightFor).map((right) => [textOf(right), right])).values()];
}

interface Tier {
  readonly cluster: ScriptedCluster;
  readonly store: SimulatedStore;
  readonly server: ServerProcess;
  stop(): Promise<void>;
}

async function startTier(tier: string): Promise<Tier> {
  const store = new SimulatedStore({ nowMs: Date.now });
  for (const kind of CONTROLLER_KINDS) store.put(kind, workload(`${OPENED}/${kind.toLowerCase()}`));
  store.put('Deployment', workload(`${CLOSED}/till`));
  const cluster = await startScriptedCluster(store, undefined, { grants: grantsOfTier(tier) });
  // Nobody has to be there: neither events nor changes ask the metrics store.
  const flags = ['--metrics-url=http://127.0.0.1:9', '--refresh=0', `--cluster-id=${CLUSTER}`];
  const { COST_EVENTS_AUDIT_PERSIST: _, ...env } = environmentOf(tier);
  const server = await startServerProcess([...flags, `--kubeconfig=${cluster.kubeconfig}`], {
    env,
  });
  return {
    cluster,
    store,
    server,
    async stop() {
      await server.stop();
      await cluster.stop();
    },
  };
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const beganMs = performance.now();
  while (!(await isSo())) {
    assert.ok(performance.now() - beganMs < WITHIN_MS, `not within ${WITHIN_MS} ms: ${what}`);
    await sleep(10);
  }
}

describe('a server that watches', () => {
  let tier: Tier;
  before(async () => void (tier = await startTier('read')));
  after(() => tier.stop());

  test('S-15: rights/read permits what is listed and watched for cost events, and nothing else', async () => {
    const { cluster, store, server } = tier;
    const watches = (): number =>
      cluster.calls.filter(({ path }) => path.includes('watch=')).length;
    await until(() => watches() === 2, 'two kinds are watched');
    store.put('Deployment', workload(`${CLOSED}/new`));
    const events = async (): Promise<string> =>
      await (await fetch(`${server.url}/audit/events`)).text();
    await until(async () => (await events()).includes('"new"'), 'a new workload is an event');
    assert.deepEqual(differences(grantsOfTier('read'), needsOf(cluster)), []);
  });

  test('S-15: a rule too many, one too few, and one that is too wide are found', () => {
    const needs = needsOf(tier.cluster);
    const found = (from: string, to: string): string[] =>
      differences(
        grantsOfTier('read', (text) => text.replace(from, to)),
        needs,
      );
    assert.deepEqual(found('statefulsets]', 'statefulsets, daemonsets]'), [
      'list daemonsets.apps in all namespaces is permitted, and never called',
      'watch daemonsets.apps in all namespaces is permitted, and never called',
    ]);
    assert.deepEqual(found('list, watch]', 'list]'), [
      'watch deployments.apps in all namespaces is called, and no rule permits it',
      'watch statefulsets.apps in all namespaces is called, and no rule permits it',
    ]);
    assert.equal(found('namespace: prorata', 'namespace: default').length, 4);
    assert.throws(() => found('[apps]', "['*']"), /a rule has a '\*'/);
  });
});

/** What a kubelet asks the API for when its metrics are read: no call of ours. */
const KUBELETS: Right = { verb: 'get', group: '', resource: 'nodes/metrics', namespace: '' };

describe('an agent', () => {
  test('S-15: rights/agent permits what it lists and watches, and nothing else', async () => {
    const store = new SimulatedStore({ nowMs: Date.now });
    const grants = shippedOf('agent');
    const cluster = await startScriptedCluster(store, undefined, { grants });
    const api = createClusterApi(await openHttpTransport(cluster.kubeconfig));
    const stop = new AbortController();
    try {
      const facts = await followObjects(api, { signal: stop.signal });
      const isWatched = (): boolean =>
        cluster.calls.filter(({ path }) => path.includes('watch=')).length >=
        facts.figures().kinds.length;
      await until(() => facts.isComplete && isWatched(), 'all kinds are watched');
    } finally {
      stop.abort();
      api.close();
      await cluster.stop();
    }
    assert.deepEqual(differences(grants, [...needsOf(cluster), KUBELETS]), []);
    assert.deepEqual(grantsOf(manifestsIn(manifestText('rights/agent/rights.yaml')), ''), []);
  });
});

describe('a server that changes requests', () => {
  let tier: Tier;
  let plan = '';
  before(async () => void (tier = await startTier('write')));
  after(() => tier.stop());

  const post = async (path: string, body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${tier.server.url}${PATH}/${path}`, {
      method: 'POST',
      headers,
      body,
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return text;
  };
  const errorsOf = (text: string): string[] => (JSON.parse(text) as { Errors: string[] }).Errors;
  const requests = (): string[] =>
    CONTROLLER_KINDS.map((kind) => {
      const object = tier.store.get(kind, { namespace: OPENED, name: kind.toLowerCase() });
      const [container] = object?.spec?.template?.spec?.containers ?? [];
      return JSON.stringify(container?.resources?.requests);
    });

  test('S-15: plan.yaml and apply.yaml of rights/write permit plan, apply and undo, and nothing else', async () => {
    const paths = CONTROLLER_KINDS.map((kind) => `${OPENED}/:${kind.toLowerCase()}/app`);
    const rows = paths.map((path) => row(path, '200m', '256Mi', CLUSTER));
    plan = await post('plan', JSON.stringify(rows));
    assert.deepEqual(errorsOf(await post('apply', plan)), []);
    assert.deepEqual(new Set(requests()), new Set(['{"cpu":"200m","memory":"256Mi"}']));
    assert.deepEqual(errorsOf(await post('undo', '')), []);
    assert.deepEqual(new Set(requests()), new Set(['{"cpu":"500m","memory":"512Mi"}']));
    assert.deepEqual(differences(grantsOfTier('write'), needsOf(tier.cluster)), []);
  });

  test('S-15: a rule too many and one too few are found', () => {
    const needs = needsOf(tier.cluster);
    const found = (from: string, to: string): string[] =>
      differences(
        grantsOfTier('write', (text) => text.replace(from, to)),
        needs,
      );
    assert.deepEqual(found('[limitranges]', '[limitranges, configmaps]'), [
      'list configmaps in all namespaces is permitted, and never called',
    ]);
    assert.deepEqual(found('[autoscaling]', '[policy]'), [
      'list horizontalpodautoscalers.autoscaling in all namespaces is called, and no rule permits it',
      'list horizontalpodautoscalers.policy in all namespaces is permitted, and never called',
    ]);
    const [first = ''] = found('[get, patch]', '[get]');
    assert.equal(first, `patch daemonsets.apps in ${OPENED} is called, and no rule permits it`);
  });

  test('S-15: a namespace without apply.yaml is left alone, and the answer says why', async () => {
    const own = JSON.parse(plan) as Record<string, Record<string, { Name: string }[]>>;
    const [one] = own[CLUSTER]?.[OPENED] ?? [];
    const other = { [CLUSTER]: { [CLOSED]: [{ ...one, Kind: 'deployment', Name: 'till' }] } };
    const { version } = tier.store;
    const errors = errorsOf(await post('apply', JSON.stringify(other)));
    assert.match(errors.join(), /shop\/deployment:till: .*cannot get deployments\.apps in shop/);
    assert.equal(tier.store.version, version);
  });
});

test('S-15: every kind that the code knows is of a tier, and no tier reads secrets, configmaps or a kubelet through the API', () => {
  const shipped = new Set(SHIPPED.map(({ resource }) => resource));
  const known = KINDS.map(
    (kind) => rightFor({ method: 'GET', path: collectionPath(kind) }).resource,
  );
  assert.deepEqual([...shipped].toSorted(), [...known, KUBELETS.resource].toSorted());
  for (const resource of ['secrets', 'configmaps', 'nodes/proxy', 'pods/exec', 'pods/log']) {
    assert.ok(!shipped.has(resource), resource);
  }
  const read = shippedOf('read').map(({ resource }) => resource);
  assert.deepEqual(
    read.filter((resource) => /^(nodes|pods)/.test(resource)),
    [],
  );
  const writing = SHIPPED.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  assert.deepEqual(new Set(writing.map(({ verb }) => verb)), new Set(['patch']));
});
