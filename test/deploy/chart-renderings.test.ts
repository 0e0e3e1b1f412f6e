/**
 * The chart as helm renders it: the shipped manifests are its renderings, and what it renders for other values is known to
 * Kubernetes, is read by the server, and gives no more rights than its tier.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import {
  CHART,
  KUBE_VERSION,
  MANIFESTS,
  render,
  RENDERINGS,
  template,
  type Values,
} from '../../scripts/chart-renderings.ts';
import { checkRole } from '../../src/server/parts/role.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { grantsOf, textOf, TIERS } from '../support/cluster-rights.ts';
import {
  CASES,
  containerEnvironment,
  FIRST,
  HOSTS,
  podOf,
  SENT,
  SEVERAL,
  workloadsOf,
  type Case,
} from '../support/chart-cases.ts';
import { at } from '../support/hardening.ts';
import { immutableFields } from '../support/immutable-fields.ts';
import { isBuiltIn, wrongFields } from '../support/kubernetes-types.ts';
import { manifestsIn, manifestText, type Manifest } from '../support/manifests.ts';
import { findBinary } from '../support/servers/services.ts';

// Not of the machine that runs the gate: Debian has no package of either.
const helm = process.env['HELM'] ?? findBinary('helm') ?? '';
const kubeconform = process.env['KUBECONFORM'] ?? findBinary('kubeconform') ?? '';
const skipWithoutHelm = helm === '' ? 'helm not installed' : false;

/** Kinds of the Prometheus operator and the Gateway API, of which kubeconform's own schemas know nothing. */
const OTHERS = 'ServiceMonitor,PrometheusRule,HTTPRoute';
const ALWAYS = ['NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceAccount', 'StatefulSet'];

const kindsOf = (manifests: readonly Manifest[]): string[] =>
  manifests.map(({ kind }) => kind).toSorted();

function expectedKinds({ kinds }: Case): string[] {
  const left = kinds.flatMap((kind) => (kind.startsWith('-') ? [kind.slice(1)] : []));
  const added = kinds.filter((kind) => !kind.startsWith('-'));
  return [...ALWAYS.filter((kind) => !left.includes(kind)), ...added].toSorted();
}

function errorOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return String((error as { readonly stderr?: unknown }).stderr);
  }
  return '';
}

/** Each of a kind, and the workloads whose pods it selects. */
function selected(all: readonly Manifest[], kind: string, path: string): string[] {
  const found = all
    .filter((each) => each.kind === kind)
    .map((each) => {
      const wanted = Object.entries(at(each, path) as object);
      const names = workloadsOf(all).flatMap((workload) => {
        const labels = Object(at(workload, 'spec.template.metadata.labels')) as object;
        const isSelected = wanted.every((label) => isIn(Object.entries(labels), label));
        return isSelected ? [workload.metadata.name] : [];
      });
      return `${each.metadata.name}: ${names.toSorted().join(' ')}`;
    });
  return found.toSorted();
}

const isIn = (entries: readonly unknown[], entry: unknown): boolean =>
  entries.some((each) => isDeepStrictEqual(each, entry));

describe('the chart, by helm', { skip: skipWithoutHelm }, () => {
  for (const rendering of RENDERINGS) {
    test(`deploy/manifests/${rendering.path} is what the chart renders`, () => {
      const shipped = readFileSync(join(MANIFESTS, rendering.path), 'utf8');
      assert.equal(
        shipped,
        render(helm, rendering),
        'run node --import tsx scripts/render-chart.ts',
      );
    });
  }

  for (const one of CASES) {
    test(`with ${one.name} Kubernetes knows each field, and the server each setting`, () => {
      const text = template(helm, one.values);
      const all = manifestsIn(text);
      assert.deepEqual(all.filter(isBuiltIn).flatMap(wrongFields), []);
      const manifests = all.filter(({ metadata }) => !metadata.name.endsWith('-test'));
      assert.equal(all.length - manifests.length, kindsOf(all).includes('NetworkPolicy') ? 2 : 1);
      assert.deepEqual(kindsOf(manifests), expectedKinds(one));
      for (const workload of workloadsOf(manifests)) {
        const env = containerEnvironment(manifests, at(workload, 'spec.template.spec'));
        const { config } = loadConfig([], env, () => '');
        const unknown = Object.keys(env).filter(
          (name) => name !== 'TMPDIR' && !config.told.some(({ from }) => from === name),
        );
        assert.deepEqual(unknown, []);
        // What a ConfigMap of the cluster says of a metrics store is not known here.
        if (one.values['existingConfigMap'] === undefined) checkRole(config);
      }
      if (one.tiers !== undefined || !one.kinds.includes('ClusterRole'))
        holdsRights(manifests, one);
    });
  }

  const rightsOf = (manifests: readonly Manifest[], namespace: string): Set<string> =>
    new Set(grantsOf(manifests, namespace).map(textOf));

  function holdsRights(manifests: readonly Manifest[], { tiers = [] }: Case): void {
    const shipped = tiers.flatMap((tier) => TIERS[tier] ?? []).map(manifestText);
    assert.deepEqual(rightsOf(manifests, 'web'), rightsOf(shipped.flatMap(manifestsIn), 'web'));
    const token = at(podOf(manifests), 'automountServiceAccountToken');
    assert.equal(token, tiers.length > 0 ? true : undefined);
    const roles = manifests.filter(({ kind }) => kind === 'RoleBinding' || kind === 'Role');
    for (const { metadata } of roles) assert.notEqual(metadata.namespace, 'prorata');
  }

  // As helm says it up to 3.17, and since.
  // prettier-ignore
  const REFUSED: readonly (readonly [name: string, values: Values, message: RegExp])[] = [
    ['no metrics store', { clusterId: 'a' }, /metricsUrl: '' is no metrics store; for example/],
    ['an agent whose samples nobody takes', { ...FIRST, agent: { enabled: true } }, /agent\.enabled: this server would not take what it sends/],
    ['an agent without a token', { clusterId: 'a', receive: { enabled: true }, agent: { enabled: true } }, /agent\.existingSecret: '' is no Secret/],
    ['samples from two places', { ...FIRST, receive: { enabled: true } }, /receive\.enabled: samples come from one place/],
    ['no cluster', { metricsUrl: 'http://a' }, /clusterId: '' is no name of a cluster; for example/],
    ['an unknown key', { ...FIRST, pods: 2 }, /additional propert\S* '?pods'? (is )?not allowed/i],
    ['an unknown setting', { ...FIRST, settings: { LOGLEVEL: 'debug' } }, /settings'?: additional propert\S* '?LOGLEVEL'? (is )?not allowed/i],
    ['a text as a switch', { ...FIRST, rights: { read: 'yes' } }, /rights[./]read'?: (Invalid type\. Expected: boolean, given: string|got string, want boolean)/],
    ['too little memory', { ...FIRST, memory: '256Mi' }, /memory: '256Mi' is less than 512Mi/],
    ['two sources of settings', { ...FIRST, existingConfigMap: 'a' }, /existingConfigMap: 'a' has all settings/],
    ['namespaces without the tier', { ...FIRST, rights: { write: { namespaces: ['a'] } } }, /set rights\.write\.enabled=true/],
    ['an Ingress to nowhere', { ...FIRST, ingress: { enabled: true } }, /ingress\.hosts: \[\] leads nowhere/],
    ['an HTTPRoute without a gateway', { ...FIRST, httpRoute: HOSTS }, /httpRoute: needs parents and hosts/],
    ['several servers without a store', { ...FIRST, replicas: { enabled: true } }, /replicas\.enabled: store\.url: '' is no bucket.*; for example/],
    ['several servers over ClickHouse', { ...FIRST, ...SEVERAL, store: { url: 'clickhouse://a' } }, /store\.url: 'clickhouse:\/\/a' is no bucket/],
    ['samples for several servers', { ...SENT, ...SEVERAL }, /samples that are sent lie on the claim of one server/],
    ['applies without a metrics store', { clusterId: 'a', ...SEVERAL, replicas: { enabled: true, builders: 0 }, rights: { write: { enabled: true } } }, /rights\.write is of the cluster of a metrics store/],
    ['fewer servers at the most than at the least', { ...FIRST, ...SEVERAL, replicas: { enabled: true, readersMax: 1 } }, /readersMax: 1 is less than replicas\.readers/],
    ['a password for a bucket', { ...FIRST, store: { url: 's3://a', passwordSecret: 'b' } }, /store\.passwordSecret: ClickHouse alone/],
    ['files in a database', { ...FIRST, sink: { url: 'clickhouse://a' } }, /sink[./]url'?: Does not match pattern|sink[./]url'?: .*does not match/],
    ['files of other kinds', { ...FIRST, sink: { url: 's3://a', kinds: ['usage'] } }, /sink[./]kinds[./]0/],
    ['scrapes without a token', { ...FIRST, monitoring: { serviceMonitor: { enabled: true } } }, /tokenSecret: '' is no Secret/],
  ];

  for (const [name, values, message] of REFUSED) {
    test(`helm refuses ${name}, and says what is accepted`, () => {
      assert.match(
        errorOf(() => template(helm, values)),
        message,
      );
    });
  }

  test('credentials in values are refused, and are not printed', () => {
    const values = {
      ...FIRST,
      metricsUrl: 'http://ann:hunter2@a',
      settings: { METRICS_TOKEN: 'hunter2' },
    };
    const error = errorOf(() => template(helm, values));
    assert.match(error, /metricsUrl'?: (Must not validate the schema|'not' failed)/);
    assert.match(error, /additional propert\S* '?METRICS_TOKEN'? (is )?not allowed/i);
    assert.ok(!error.includes('hunter2'), error);
  });

  test('the memory that the server takes is 60 % of the limit of its pod', () => {
    for (const [memory, limit] of [
      ['512Mi', '307Mi'],
      ['1Gi', '614Mi'],
      ['12Gi', '7372Mi'],
    ] as const) {
      // prettier-ignore
      const env = containerEnvironment(manifestsIn(template(helm, { ...FIRST, memory })));
      assert.equal(env['MEMORY_LIMIT'], limit);
    }
  });

  test('the network is open to the ports of all metrics stores', () => {
    const metricsUrl = 'eu=http://a:9001,http://b:9002/x us=http://c:9003 other=http://d:9004';
    const policy = manifestsIn(template(helm, { ...FIRST, metricsUrl })).find(
      ({ kind }) => kind === 'NetworkPolicy',
    );
    const opened = JSON.stringify(at(policy, 'spec.egress'));
    for (const port of [9001, 9002, 9003, 9004, 9090])
      assert.ok(opened.includes(`:${port}}`), opened);
  });

  test('servers of a bucket are locked up as the one with a claim, and each is found by what is for its role', () => {
    const one = podOf(manifestsIn(template(helm, FIRST)));
    const all = manifestsIn(template(helm, { ...FIRST, ...SEVERAL }, '--no-hooks'));
    const [build, serve] = workloadsOf(all);
    for (const pod of [build, serve].map((each) => at(each, 'spec.template.spec'))) {
      for (const path of ['securityContext', 'containers.0.securityContext', 'enableServiceLinks'])
        assert.deepEqual(at(pod, path), at(one, path));
      const volumes = at(pod, 'volumes') as readonly Record<string, unknown>[];
      const written = volumes.filter((volume) => volume['secret'] === undefined);
      assert.deepEqual(written, [{ name: 'data', emptyDir: {} }]);
    }
    const apart = ['prorata-build: prorata-build', 'prorata: prorata'];
    assert.deepEqual(selected(all, 'Deployment', 'spec.selector.matchLabels'), apart);
    assert.deepEqual(selected(all, 'PodDisruptionBudget', 'spec.selector.matchLabels'), apart);
    assert.deepEqual(selected(all, 'Service', 'spec.selector'), apart);
    assert.deepEqual(selected(all, 'NetworkPolicy', 'spec.podSelector.matchLabels'), [
      'prorata-https: prorata prorata-build',
      'prorata: prorata prorata-build',
    ]);
  });

  test('hosts of routes are names that clients may ask for', () => {
    const routes = {
      ingress: HOSTS,
      httpRoute: { enabled: true, hosts: ['*.example.com'], parents: [{ name: 'a' }] },
    };
    const env = containerEnvironment(manifestsIn(template(helm, { ...FIRST, ...routes })));
    assert.equal(env['ALLOWED_HOSTS'], 'costs.example.com,*.example.com');
  });

  test('each file of tokens, certificates and prices is mounted where the server looks for it', () => {
    const one = CASES.find(({ name }) => name.startsWith('a hosted store'));
    const manifests = manifestsIn(
      template(helm, { ...one?.values, tls: { existingSecret: 'tls' } }),
    );
    const container = at(podOf(manifests), 'containers.0');
    const mounts = (at(container, 'volumeMounts') as readonly { mountPath: string }[]).map(
      ({ mountPath }) => mountPath,
    );
    assert.deepEqual(at(container, 'args'), ['serve', '--config=/etc/prices/prorata.yaml']);
    const files = Object.values(containerEnvironment(manifests)).filter((value) =>
      value.startsWith('/etc/'),
    );
    assert.equal(files.length, 4);
    for (const file of files)
      assert.ok(mounts.includes(file.slice(0, file.lastIndexOf('/'))), file);
  });

  test('other values change no field of the default installation that Kubernetes does not let change', () => {
    const of = (values: Values): Record<string, unknown> =>
      immutableFields(manifestsIn(template(helm, values, '--no-hooks')));
    const before = of(FIRST);
    const fixed = new Set(['a place to run', 'a ConfigMap that exists']);
    for (const { name, values } of CASES) {
      // Storage is of another size, or servers without a claim take the place of one.
      if (fixed.has(name) || values['replicas'] !== undefined) continue;
      for (const [path, value] of Object.entries(before))
        assert.deepEqual(of(values)[path], value, `${name}: ${path}`);
    }
  });

  test(
    'kubeconform finds no fault in any rendering',
    { skip: kubeconform === '' ? 'kubeconform not installed' : false },
    () => {
      // prettier-ignore
      const location = process.env['KUBECONFORM_SCHEMAS'] ?? 'default';
      for (const { name, values } of CASES) {
        const input = template(helm, values);
        const args = ['-strict', '-summary', '-skip', OTHERS, '-schema-location', location, '-'];
        const said = execFileSync(kubeconform, args, { input, encoding: 'utf8' });
        assert.match(said, /Valid: [1-9]\d*, Invalid: 0, Errors: 0/, name);
      }
    },
  );

  test('helm lint finds nothing', () => {
    const args = ['lint', CHART, '--strict', '--quiet', ...KUBE_VERSION, '--values', '-'];
    execFileSync(helm, args, { input: JSON.stringify(FIRST), stdio: 'pipe' });
  });
});
