/** The plain manifests and the list of settings of the chart's schema, as they are made of the chart and of the server. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AGENT_SETTINGS } from '../src/settings/agent.ts';
import { ROWS } from '../src/settings/config.ts';

export const CHART: string = fileURLToPath(new URL('../deploy/helm/prorata', import.meta.url));
export const MANIFESTS: string = fileURLToPath(new URL('../deploy/manifests/', import.meta.url));

/** What a cluster has is read by the manifests too: so no value of theirs is a name of one. */
const ANY_NAMESPACE = 'any-namespace';
const PLAIN = { existingConfigMap: 'prorata' };

/** Values of the chart, as in a file of them. */
export type Values = Readonly<Record<string, unknown>>;

export interface Rendering {
  /** Within deploy/manifests. */
  readonly path: string;
  /** First lines, each without its `# `. */
  readonly head: readonly string[];
  readonly values: Values;
  /** Templates of the chart, in this order. */
  readonly templates: readonly string[];
}

// prettier-ignore
export const RENDERINGS: readonly Rendering[] = [
  {
    path: 'prorata.yaml',
    head: [
      'prorata with no right in the cluster: it reads a metrics store and answers callers that sign in.',
      'docs/install/kubernetes.md tells which ConfigMap and Secret it waits for.',
    ],
    values: PLAIN,
    templates: ['serviceaccount', 'statefulset', 'service', 'disruption', 'network'],
  },
  { path: 'network/https.yaml', head: [], values: { ...PLAIN, network: { https: true } }, templates: ['network-https'] },
  { path: 'rights/read/rights.yaml', head: [], values: { ...PLAIN, rights: { read: true } }, templates: ['rights-read'] },
  { path: 'rights/agent/rights.yaml', head: [], values: { ...PLAIN, rights: { agent: true } }, templates: ['rights-agent'] },
  { path: 'agent/agent.yaml', head: ['docs/install/agent.md tells what it reads, and where it sends.'], values: { ...PLAIN, agent: { enabled: true, existingSecret: 'prorata-agent' } }, templates: ['agent'] },
  { path: 'rights/write/plan.yaml', head: [], values: { ...PLAIN, rights: { write: { enabled: true } } }, templates: ['rights-plan'] },
  {
    path: 'rights/write/apply.yaml',
    head: ['For the namespace that `kubectl apply --namespace` names.'],
    values: { ...PLAIN, rights: { write: { enabled: true, namespaces: [ANY_NAMESPACE] } } },
    templates: ['rights-apply'],
  },
];

/** What helm takes its cluster for; of its own it knows the version of its build. */
export const KUBE_VERSION = ['--kube-version', '1.31.0'] as const;

/** @throws with what helm says */
export function template(helm: string, values: Values, ...others: readonly string[]): string {
  const fixed = ['--namespace', 'prorata', ...KUBE_VERSION, '--values', '-'];
  const args = ['template', 'prorata', CHART, ...fixed, ...others];
  const input = JSON.stringify(values);
  return execFileSync(helm, args, { encoding: 'utf8', input, stdio: 'pipe' });
}

/** The text of a manifest that is shipped. */
export function render(helm: string, { head, values, templates }: Rendering): string {
  const texts = templates.map((name) =>
    template(helm, values, '--no-hooks', '--show-only', `templates/${name}.yaml`),
  );
  const documents = texts
    .join('')
    .split(/^---\n/m)
    .map((text) => text.replace(/^# Source: .*\n/m, '').trim())
    .filter((text) => text !== '');
  const lines = ['Made of deploy/helm/prorata by scripts/render-chart.ts.', ...head];
  const body = documents.join('\n---\n').replaceAll(`  namespace: ${ANY_NAMESPACE}\n`, '');
  return `${lines.map((line) => `# ${line}\n`).join('')}${body}\n`;
}

/** Variables that the chart sets by values of their own. */
// prettier-ignore
export const OWN_VARIABLES: ReadonlySet<string> = new Set([
  'HOST', 'PORT', 'DATA_DIR', 'FRONT_END', 'AUTH', 'TOKENS_FILE', 'DRAIN_DELAY', 'DRAIN_TIMEOUT', 'MEMORY_LIMIT',
  'PROMETHEUS_SERVER_ENDPOINT', 'CLUSTER_ID', 'TIMEZONE', 'TLS_CERT', 'TLS_KEY', 'ALLOWED_HOSTS',
  'COST_EVENTS_AUDIT_ENABLED', 'COST_EVENTS_AUDIT_PERSIST', 'CLUSTER_CONTROLLER_ENABLED', 'KUBECONFIG',
  'RECEIVE', 'RAW_RETENTION', 'RECEIVE_TOKEN_FILE', 'STORE', 'STORE_CACHE', 'STORE_PASSWORD_FILE', 'ROLE',
]);

/** Variables of `prorata agent`, which the server does not read. */
const AGENT_VARIABLES: ReadonlySet<string | undefined> = new Set(
  Object.values(AGENT_SETTINGS).map(({ env }) => env),
);

/** Those that the chart sets. */
const AGENT_OWN_VARIABLES: ReadonlySet<string> = new Set(
  'REMOTE_WRITE_URL NODE_NAME AGENT_READS AGENT_BUFFER AGENT_BUFFER_LIMIT'.split(' '),
);

/** Variables of credentials, which come from a Secret. */
export const SECRET_VARIABLES: readonly string[] = ROWS.flatMap(
  ({ env, isSecret, hasSecretValues }) =>
    env !== undefined && (isSecret === true || hasSecretValues === true) ? [env] : [],
);

/** What `settings` of the chart accepts: each other variable, with what the server says of it. */
export function settingsSchema(): Record<string, unknown> {
  return schemaOf((env) => !OWN_VARIABLES.has(env) && !AGENT_VARIABLES.has(env));
}

/** What `agent.settings` of the chart accepts. */
export function agentSettingsSchema(): Record<string, unknown> {
  const isAgents = (env: string): boolean => AGENT_VARIABLES.has(env) || env === 'LOG_LEVEL';
  return schemaOf((env) => isAgents(env) && !AGENT_OWN_VARIABLES.has(env));
}

function schemaOf(isAccepted: (env: string) => boolean): Record<string, unknown> {
  const known = ROWS.flatMap(({ env, help }) =>
    env === undefined || SECRET_VARIABLES.includes(env) || !isAccepted(env)
      ? []
      : [[env, { description: help, type: ['string', 'number', 'boolean'] }] as const],
  );
  return Object.fromEntries(known.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
