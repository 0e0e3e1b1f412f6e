/** The workload that is shipped: what a broken process could do with it, and whether the server takes its settings. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadConfig } from '../../src/settings/config.ts';
import { at, lacks } from '../support/hardening.ts';
import {
  environmentOf,
  manifestsIn,
  manifestText,
  switchOf,
  workloadText,
} from '../support/manifests.ts';

const TEXT = workloadText();
const manifests = manifestsIn(TEXT);
const workload = manifests.find(({ kind }) => kind === 'StatefulSet');
const pod = at(workload, 'spec.template.spec');
const container = at(pod, 'containers.0');
const FOLDER = new URL('../../deploy/manifests/', import.meta.url);
const GUIDE = readFileSync(new URL('../../docs/install/kubernetes.md', import.meta.url), 'utf8');

function environment(): Record<string, string> {
  const listed = at(container, 'env') as readonly {
    readonly name: string;
    readonly value: string;
  }[];
  return Object.fromEntries(listed.map(({ name, value }) => [name, value]));
}

/** As the guide has the values that everybody sets. */
function values(): Record<string, string> {
  const found = [...GUIDE.matchAll(/--from-literal=([A-Z_]+)=(\S+)/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]));
}

/** Names of variables that the server has; TMPDIR is Node's own. */
function settings(): ReadonlySet<string> {
  const { help = '' } = loadConfig(['--help'], {}, () => '');
  return new Set([...(help.match(/\b[A-Z][A-Z_0-9]{3,}\b/g) ?? []), 'TMPDIR']);
}

const secondsOf = (text: string | undefined): number => Number(/^(\d+)s$/.exec(text ?? '')?.[1]);

test('S-16: the workload runs as nobody, on a read-only file system, without capabilities, in a closed network', () => {
  assert.deepEqual(lacks(manifests), []);
});

/** A text of the manifest, what takes its place, and what is said of it. */
// prettier-ignore
const PLANTED: readonly (readonly [name: string, from: string, to: string, lack: RegExp])[] = [
  ['a pod that may be root', 'runAsNonRoot: true', 'runAsNonRoot: false', /runAsNonRoot is false/],
  ['a user that is root', 'runAsUser: 65532', 'runAsUser: 0', /runAsUser is 0/],
  ['any system call', 'seccompProfile: { type: RuntimeDefault }', 'seccompProfile: { type: Unconfined }', /seccompProfile is/],
  ['a root that can be written', 'readOnlyRootFilesystem: true', 'readOnlyRootFilesystem: false', /securityContext is/],
  ['an escalation of privileges', 'allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true', /securityContext is/],
  ['a capability', 'drop: [ALL]', 'drop: [ALL], add: [NET_ADMIN]', /securityContext is/],
  ['the network of the node', 'enableServiceLinks: false', 'enableServiceLinks: false\n      hostNetwork: true', /hostNetwork is true/],
  ['a probe of another route', 'path: /readyz', 'path: /healthz', /readinessProbe.httpGet is/],
  ['memory without a limit', 'limits: { memory: 1Gi }', 'limits: {}', /resources.limits.memory is missing/],
  ['a token that nobody needs', 'automountServiceAccountToken: false', 'automountServiceAccountToken: true', /mounts a token/],
  ['a namespace for any pod', 'enforce: restricted', 'enforce: baseline', /takes any pod/],
  ['a secret that can be written', 'mountPath: /etc/prorata, readOnly: true', 'mountPath: /etc/prorata', /one claim is written/],
  ['a second volume', '      volumes:\n', '      volumes:\n        - { name: tmp, emptyDir: {} }\n', /one claim is written/],
  ['egress to anywhere', 'policyTypes: [Ingress, Egress]', 'policyTypes: [Ingress]', /no policy closes/],
  ['ingress from anywhere', "- namespaceSelector:\n            matchLabels: { prorata-clients: 'true' }", '', /no policy closes/],
  ['a node that cannot be drained', 'maxUnavailable: 1', 'minAvailable: 1', /no budget lets its node be drained/],
];

for (const [name, from, to, lack] of PLANTED) {
  test(`S-16: ${name} is found`, () => {
    const changed = TEXT.replace(from, to);
    assert.notEqual(changed, TEXT, 'the text is there');
    const found = lacks(manifestsIn(changed));
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', lack);
  });
}

test('the server takes every setting of the manifests and of the guide, and callers have to sign in', () => {
  const known = settings();
  const [own, told] = [environment(), values()];
  const switched = { ...environmentOf('read'), ...environmentOf('write') };
  const all = { ...told, ...own, ...switched };
  for (const name of Object.keys(all)) assert.ok(known.has(name), `${name} is no setting`);
  assert.deepEqual(Object.keys(told), ['PROMETHEUS_SERVER_ENDPOINT', 'CLUSTER_ID', 'TIMEZONE']);
  const { config } = loadConfig([], all, () => '');
  assert.equal(config.metricsUrl?.toString(), told['PROMETHEUS_SERVER_ENDPOINT']);
  assert.deepEqual([config.isClusterController, config.isCostEventsAudit], [true, true]);
  assert.deepEqual(
    [own['AUTH'], own['FRONT_END'], own['INSECURE_BIND']],
    ['tokens', 'node', undefined],
  );
});

test('a pod has more time to end than the server takes', () => {
  const { DRAIN_DELAY, DRAIN_TIMEOUT } = environment();
  const needed = secondsOf(DRAIN_DELAY) + secondsOf(DRAIN_TIMEOUT);
  const given = at(pod, 'terminationGracePeriodSeconds') as number;
  assert.ok(needed > 0 && given >= needed + 5, `${given} s for ${needed} s`);
});

test('switches patch the container that is there, and mount the token of its account', () => {
  for (const tier of ['read', 'write']) {
    const { automountServiceAccountToken, containers } = switchOf(tier).spec.template.spec;
    assert.equal(automountServiceAccountToken, true);
    assert.deepEqual(
      containers.map(({ name }) => name),
      [at(container, 'name')],
    );
  }
});

test('each manifest that the guide applies is there, and the guide applies each', () => {
  const applied = new Set(
    [...GUIDE.matchAll(/deploy\/manifests\/([\w/]+\.yaml)/g)].map(([, name = '']) => name),
  );
  const shipped = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.yaml'),
  );
  const isBuilt = (name: string): boolean => /(^|\/)(kustomization|switch)\.yaml$/.test(name);
  const isNamed = (name: string): boolean => applied.has(name) || isBuilt(name);
  assert.deepEqual(
    [...applied].filter((name) => !shipped.includes(name)),
    [],
  );
  assert.deepEqual(
    shipped.filter((name) => !isNamed(name)),
    [],
  );
  for (const name of shipped)
    assert.ok(manifestText(name).startsWith('#'), `${name} says what it is`);
});
