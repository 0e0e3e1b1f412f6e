/** Values of the chart, and what each set of them has to render. */
import type { Values } from '../../scripts/chart-renderings.ts';
import { at } from './hardening.ts';
import type { Manifest } from './manifests.ts';

export const FIRST: Values = {
  metricsUrl: 'http://prometheus-server.monitoring.svc:9090',
  clusterId: 'production',
  storage: { size: '20Gi' },
};
/** Without a metrics store. */
export const SENT: Values = {
  clusterId: 'production',
  storage: { size: '20Gi' },
  receive: { enabled: true },
};
/** Days that several servers share. */
export const SEVERAL: Values = {
  store: { url: 's3://costs/prorata' },
  replicas: { enabled: true },
};
const SHARED_OTHERS: readonly string[] = ['-StatefulSet', 'Deployment', 'NetworkPolicy'];
const SHARED: readonly string[] = [...SHARED_OTHERS, 'ConfigMap'];
const SHARED_BUILDERS: readonly string[] = ['Deployment', 'PodDisruptionBudget', 'Service'];
const MONITOR = { enabled: true, tokenSecret: 'prorata-viewer' };
export const HOSTS: Values & { readonly hosts: readonly string[] } = {
  enabled: true,
  hosts: ['costs.example.com'],
};

export interface Case {
  readonly name: string;
  readonly values: Values;
  /** Kinds beside those of every installation. */
  readonly kinds: readonly string[];
  /** Tiers of rights. */
  readonly tiers?: readonly string[];
}

// prettier-ignore
export const CASES: readonly Case[] = [
  { name: 'three values', values: FIRST, kinds: ['ConfigMap'] },
  { name: 'a ConfigMap that exists', values: { existingConfigMap: 'prorata' }, kinds: [] },
  { name: 'the tier read', values: { ...FIRST, rights: { read: true } }, kinds: ['ConfigMap', 'ClusterRole', 'ClusterRoleBinding', 'NetworkPolicy'], tiers: ['read'] },
  { name: 'the tier agent', values: { ...FIRST, rights: { agent: true } }, kinds: ['ClusterRole', 'ClusterRoleBinding', 'ConfigMap', 'ServiceAccount'] },
  { name: 'the tier write', values: { ...FIRST, rights: { write: { enabled: true, namespaces: ['web', '123'] } } }, kinds: ['ConfigMap', 'ClusterRole', 'ClusterRoleBinding', 'NetworkPolicy', 'Role', 'Role', 'RoleBinding', 'RoleBinding'], tiers: ['write'] },
  { name: 'plans alone', values: { ...FIRST, rights: { write: { enabled: true } } }, kinds: ['ConfigMap', 'ClusterRole', 'ClusterRoleBinding', 'NetworkPolicy'] },
  { name: 'both tiers', values: { ...FIRST, rights: { read: true, write: { enabled: true, namespaces: ['web'] } } }, kinds: ['ConfigMap', 'ClusterRole', 'ClusterRole', 'ClusterRoleBinding', 'ClusterRoleBinding', 'NetworkPolicy', 'Role', 'RoleBinding'], tiers: ['read', 'write'] },
  { name: 'an image by digest and a registry with a password', values: { ...FIRST, image: { repository: 'registry.example.com/prorata', digest: `sha256:${'a'.repeat(64)}`, pullPolicy: 'Always', pullSecrets: ['registry'] } }, kinds: ['ConfigMap'] },
  { name: 'a hosted store, credentials in a Secret, files', values: { ...FIRST, metricsUrl: 'https://metrics.example.com', existingSecret: 'store', configFile: '/etc/prices/prorata.yaml', files: [{ secret: 'store-ca', path: '/etc/store' }, { configMap: 'prices', path: '/etc/prices' }], settings: { METRICS_CA_FILE: '/etc/store/ca.crt', RATE_LIMIT: 1_000_000, ACCESS_LOG: true, DISCOUNT: '10%' } }, kinds: ['ConfigMap', 'NetworkPolicy'] },
  { name: 'sign-in by an issuer', values: { ...FIRST, auth: 'oidc', network: { https: true }, settings: { OIDC_ISSUER: 'https://login.example.com', OIDC_AUDIENCE: 'prorata' } }, kinds: ['ConfigMap', 'NetworkPolicy'] },
  { name: 'TLS of its own, a ServiceMonitor, annotations', values: { ...FIRST, tls: { existingSecret: 'prorata-tls' }, monitoring: { annotations: true, serviceMonitor: MONITOR } }, kinds: ['ConfigMap', 'ServiceMonitor'] },
  { name: 'alerts and dashboards', values: { ...FIRST, monitoring: { rules: { enabled: true, labels: { release: 'prometheus' } }, dashboards: { enabled: true } } }, kinds: ['ConfigMap', 'ConfigMap', 'ConfigMap', 'ConfigMap', 'PrometheusRule'] },
  { name: 'an Ingress', values: { ...FIRST, ingress: { ...HOSTS, className: 'nginx', annotations: { 'a/b': '1' }, tlsSecret: 'costs-tls' } }, kinds: ['ConfigMap', 'Ingress'] },
  { name: 'an HTTPRoute', values: { ...FIRST, httpRoute: { ...HOSTS, parents: [{ name: 'gateway', namespace: 'ingress', sectionName: 'https' }] } }, kinds: ['ConfigMap', 'HTTPRoute'] },
  { name: 'another network', values: { ...FIRST, network: { clients: { 'kubernetes.io/metadata.name': 'monitoring', team: '1' }, metricsPorts: [9009] }, service: { type: 'LoadBalancer', port: 80, annotations: { internal: 'true' } } }, kinds: ['ConfigMap'] },
  { name: 'bills from a bucket', values: { ...FIRST, network: { https: true, nodeCredentials: true }, serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/bills' } }, podLabels: { 'azure.workload.identity/use': 'true' }, settings: { BILL_URL: 'cloud/a=s3://bills/focus/ cloud/b=gs://bills/focus/' } }, kinds: ['ConfigMap', 'NetworkPolicy', 'NetworkPolicy'] },
  { name: 'blocks in a bucket', values: { ...FIRST, metricsUrl: 's3://metrics/thanos' }, kinds: ['ConfigMap', 'NetworkPolicy'] },
  { name: 'days in a bucket', values: { ...FIRST, store: { url: 'azblob://account/costs', cache: '8Gi' } }, kinds: ['ConfigMap', 'NetworkPolicy'] },
  { name: 'days in ClickHouse', values: { ...FIRST, store: { url: 'clickhouse://prorata@clickhouse.sql.svc:8443/prorata?secure=true', passwordSecret: 'clickhouse', passwordKey: 'prorata' } }, kinds: ['ConfigMap'] },
  { name: 'files of what is on the claim', values: { ...FIRST, sink: { url: 's3://costs/tables' }, network: { nodeCredentials: true }, podLabels: { 'azure.workload.identity/use': 'true' } }, kinds: ['ConfigMap', 'CronJob', 'NetworkPolicy', 'NetworkPolicy'] },
  { name: 'files of what is in ClickHouse, without a policy', values: { ...FIRST, sink: { url: 'gs://costs/tables', kinds: ['assets'], memory: '2Gi' }, store: { url: 'clickhouse://ch.sql.svc/prorata', passwordSecret: 'ch' }, existingSecret: 'keys', configFile: '/etc/a/b.yaml', files: [{ secret: 'a', path: '/etc/a' }], network: { policy: false } }, kinds: ['ConfigMap', 'CronJob', '-NetworkPolicy'] },
  { name: 'servers that answer and two that build', values: { ...FIRST, ...SEVERAL, replicas: { enabled: true, readers: 3, readersMax: 9, builders: 2 } }, kinds: [...SHARED, ...SHARED_BUILDERS, 'HorizontalPodAutoscaler'] },
  { name: 'several servers with cost events', values: { ...FIRST, ...SEVERAL, rights: { read: true } }, kinds: [...SHARED, ...SHARED_BUILDERS, 'ClusterRole', 'ClusterRoleBinding'], tiers: ['read'] },
  { name: 'several servers that apply', values: { ...FIRST, ...SEVERAL, rights: { write: { enabled: true, namespaces: ['web'] } } }, kinds: [...SHARED, ...SHARED_BUILDERS, 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'], tiers: ['write'] },
  { name: 'servers that answer what others build, from a ConfigMap that exists', values: { existingConfigMap: 'prorata', ...SEVERAL, replicas: { enabled: true, builders: 0 } }, kinds: SHARED_OTHERS },
  { name: 'servers without a metrics store', values: { clusterId: 'production', ...SEVERAL, replicas: { enabled: true, readers: 1, builders: 0 }, podLabels: { team: '7' } }, kinds: SHARED },
  { name: 'samples that others send', values: SENT, kinds: ['ConfigMap'] },
  { name: 'samples by a token, from two namespaces, for a month', values: { ...SENT, receive: { enabled: true, retention: '30d', tokenSecret: 'senders', tokenKey: 'prorata', senders: { 'kubernetes.io/metadata.name': 'monitoring', team: '1' } }, settings: { OUT_OF_ORDER: '1d', RECEIVE_RATE: 50_000 } }, kinds: ['ConfigMap'] },
  { name: 'no policy', values: { ...FIRST, network: { policy: false } }, kinds: ['ConfigMap', '-NetworkPolicy'] },
  { name: 'a place to run', values: { ...FIRST, memory: '1536Mi', cpu: '2', nodeSelector: { 'kubernetes.io/arch': 'arm64' }, tolerations: [{ key: 'a', operator: 'Exists' }], affinity: { nodeAffinity: {} }, priorityClassName: 'high', podLabels: { team: '7' }, podAnnotations: { a: 'b' }, serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/a' } }, storage: { size: '1Ti', className: 'fast' } }, kinds: ['ConfigMap'] },
];

/** Variables as the container has them: its own win over those of the ConfigMap. */
export function containerEnvironment(
  manifests: readonly Manifest[],
  pod: unknown = podOf(manifests),
): Record<string, string> {
  const data = manifests.find(({ kind }) => kind === 'ConfigMap')?.['data'];
  const own = at(pod, 'containers.0.env') as readonly {
    readonly name: string;
    readonly value: string;
  }[];
  return {
    ...(data as object),
    ...Object.fromEntries(own.map(({ name, value }) => [name, value])),
  };
}

/** The pod of the one server. */
export function podOf(manifests: readonly Manifest[]): unknown {
  return at(workloadsOf(manifests)[0], 'spec.template.spec');
}

/** What runs servers: one, or those that build and those that answer. */
export function workloadsOf(manifests: readonly Manifest[]): Manifest[] {
  return manifests.filter(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
}
