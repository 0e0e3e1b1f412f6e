/** The agent's workload that is shipped, and what the chart makes of it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RENDERINGS, template, type Values } from '../../scripts/chart-renderings.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { SENT } from '../support/chart-cases.ts';
import { at, lacks } from '../support/hardening.ts';
import { isBuiltIn, wrongFields } from '../support/kubernetes-types.ts';
import { manifestsIn, manifestText, type Manifest } from '../support/manifests.ts';
import { findBinary } from '../support/servers/services.ts';

const helm = process.env['HELM'] ?? findBinary('helm') ?? '';
const shipped = ['agent/agent.yaml', 'rights/agent/rights.yaml'].map(manifestText);

interface Variable {
  readonly name: string;
  readonly value?: string;
}

function workloads(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(({ metadata, ...one }) => {
    return metadata.name.startsWith('prorata-agent') && at(one, 'spec.template') !== undefined;
  });
}

function variablesOf(workload: Manifest | undefined): readonly Variable[] {
  const container = 'spec.template.spec.containers.0.env';
  return (at(workload, container) ?? []) as readonly Variable[];
}

/** Settings by which the agent would start. */
function readBy(workload: Manifest | undefined): Record<string, string> {
  const given = variablesOf(workload).map(({ name, value = 'node-1' }) => [name, value] as const);
  const env = Object.fromEntries(given);
  const { told } = loadConfig([], env, () => '').config;
  const used = new Set(told.map(({ from }) => from));
  const unknown = Object.keys(env).filter(
    (name) => !used.has(name) && !['TMPDIR', 'MALLOC_ARENA_MAX'].includes(name),
  );
  assert.deepEqual(unknown, []);
  return env;
}

type Labels = Readonly<Record<string, string>>;

function podLabels(workload: Manifest): Labels {
  return at(workload, 'spec.template.metadata.labels') as Labels;
}

/** By labels alone; a selector with expressions selects nothing here. */
function isSelected(selector: unknown, labels: Labels): boolean {
  const named = Object.entries((at(selector, 'matchLabels') ?? {}) as Labels);
  const isKnown = Object.keys(Object(selector) as object).join() === 'matchLabels';
  return isKnown && named.every(([name, value]) => labels[name] === value);
}

/** Whether a policy lets pods with these labels, of the same namespace, connect to the server. */
function isLetIn(manifests: readonly Manifest[], from: Labels): boolean {
  const server = manifests.find(({ kind }) => kind === 'StatefulSet') ?? assert.fail();
  return manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .filter((policy) => isSelected(at(policy, 'spec.podSelector'), podLabels(server)))
    .flatMap((policy) => (at(policy, 'spec.ingress') ?? []) as readonly unknown[])
    .filter((rule) => JSON.stringify(at(rule, 'ports')).includes('"port":"http"'))
    .flatMap((rule) => at(rule, 'from') as readonly unknown[])
    .filter((peer) => at(peer, 'namespaceSelector') === undefined)
    .some((peer) => isSelected(at(peer, 'podSelector'), from));
}

test('the plain manifests let the agent in at the server beside it, with a token of a Secret', () => {
  const all = ['prorata.yaml', 'agent/agent.yaml'].flatMap((path) =>
    manifestsIn(manifestText(path)),
  );
  const [agent] = workloads(all);
  assert.ok(agent !== undefined);
  assert.ok(isLetIn(all, podLabels(agent)), 'its network');
  assert.deepEqual(at(agent, 'spec.template.spec.containers.0.envFrom'), [
    { secretRef: { name: 'prorata-agent' } },
  ]);
});

test('S-16: the agent runs as nobody, on a read-only file system, in a closed network', () => {
  const manifests = shipped.flatMap(manifestsIn);
  assert.deepEqual(manifests.flatMap(wrongFields), []);
  const pod = 'spec.template.spec';
  // It signs in at the API, writes a folder that lasts as long as its pod, and answers nobody but scrapes.
  assert.deepEqual(
    lacks(manifests).map((lack) => lack.replace('Deployment prorata-agent: ', '')),
    [
      'automountServiceAccountToken is true, not undefined',
      'one claim is written, and nothing else but secrets is mounted',
      'its namespace takes any pod',
      // Nodes have no labels that a policy could name: their ports stand for them.
      'no policy closes its network in both directions',
      'no service leads to it',
      'no budget lets its node be drained',
    ],
  );
  const [workload] = workloads(manifests);
  assert.deepEqual(at(workload, `${pod}.volumes`), [{ name: 'buffer', emptyDir: {} }]);
  assert.deepEqual(at(workload, 'spec.replicas'), 1);
  const env = readBy(workload);
  assert.equal(env['AGENT_READS'], 'all');
  assert.equal(env['REMOTE_WRITE_URL'], 'http://prorata.prorata.svc:9003/api/v1/write');
});

/** It sends to the server of the chart. */
const OWN: Values = { enabled: true, existingSecret: 'prorata-agent' };
// prettier-ignore
const CASES: readonly (readonly [name: string, agent: Values, kinds: string, reads: string])[] = [
  ['one pod for all', { ...OWN }, 'Deployment', 'all'],
  ['one pod a node', { ...OWN, mode: 'daemonset' }, 'DaemonSet,Deployment', 'kubelets,objects'],
  ['another receiver', { enabled: true, remoteWriteUrl: 'https://mimir.example.com/api/v1/push', existingSecret: 'mimir', files: [{ secret: 'ca', path: '/etc/ca' }], settings: { REMOTE_WRITE_CA_FILE: '/etc/ca/ca.crt', AGENT_INTERVAL: '30s', DCGM_PORT: 9400, LOG_LEVEL: 'warn' } }, 'Deployment', 'all'],
];

describe('the chart with an agent', { skip: helm === '' ? 'helm not installed' : false }, () => {
  for (const [name, agent, kinds, reads] of CASES) {
    test(`and ${name}: Kubernetes knows each field, and the agent each setting`, () => {
      const all = manifestsIn(template(helm, { ...SENT, agent }, '--no-hooks'));
      assert.deepEqual(all.filter(isBuiltIn).flatMap(wrongFields), []);
      const found = workloads(all).toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
      assert.equal(found.map(({ kind }) => kind).join(), kinds);
      assert.equal(found.map((one) => readBy(one)['AGENT_READS']).join(), reads);
      const labels = found.map((one) => JSON.stringify(at(one, 'spec.selector.matchLabels')));
      const server = all.find(({ kind }) => kind === 'StatefulSet');
      labels.push(JSON.stringify(at(server, 'spec.selector.matchLabels')));
      assert.equal(new Set(labels).size, labels.length);
      const isBound = all.some(({ kind, metadata }) => {
        return kind === 'ClusterRoleBinding' && metadata.name.endsWith('-agent');
      });
      assert.ok(isBound);
    });
  }

  for (const mode of ['deployment', 'daemonset'])
    test(`lets each pod of a ${mode} send to its server, and nobody else`, () => {
      const all = manifestsIn(template(helm, { ...SENT, agent: { ...OWN, mode } }, '--no-hooks'));
      for (const one of workloads(all)) assert.ok(isLetIn(all, podLabels(one)), one.kind);
      assert.ok(!isLetIn(all, { 'app.kubernetes.io/name': 'another' }));
    });

  test('lets no agent in that sends elsewhere', () => {
    const agent = { enabled: true, remoteWriteUrl: 'http://a' };
    const all = manifestsIn(template(helm, { ...SENT, agent }, '--no-hooks'));
    assert.deepEqual(
      workloads(all).filter((one) => isLetIn(all, podLabels(one))),
      [],
    );
  });

  test('refuses credentials of the agent among its settings', () => {
    const settings = { REMOTE_WRITE_TOKEN: 'hunter2' };
    assert.throws(
      () => template(helm, { ...SENT, agent: { ...OWN, settings } }),
      /stderr|not allowed/,
    );
  });
});

test('the manifests of the agent are made of the chart', () => {
  assert.ok(RENDERINGS.some(({ path }) => path === 'agent/agent.yaml'));
});
