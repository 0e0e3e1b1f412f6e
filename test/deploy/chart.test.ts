/** The chart, as far as it can be read without helm: what its schema accepts, what is made of it, what it asks a server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import {
  agentSettingsSchema,
  CHART,
  OWN_VARIABLES,
  SECRET_VARIABLES,
  settingsSchema,
} from '../../scripts/chart-renderings.ts';
import { ROWS } from '../../src/settings/config.ts';
import { immutableFields } from '../support/immutable-fields.ts';
import { isBuiltIn, wrongFields } from '../support/kubernetes-types.ts';
import { manifestsIn, manifestText, workloadText } from '../support/manifests.ts';
import { startServerProcess } from '../support/servers/server-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const chartFile = (name: string): string => readFileSync(join(CHART, name), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
}

const schema = JSON.parse(chartFile('values.schema.json')) as Schema;
const values = parse(chartFile('values.yaml')) as Record<string, unknown>;
const accepts = new Ajv({ allErrors: true, strict: false }).compile<unknown>(schema);

/** What the schema says of values beside those of the chart. */
function refusals(given: Record<string, unknown>): string[] {
  const isFine = accepts(given);
  return isFine
    ? []
    : (accepts.errors ?? []).map(({ instancePath, message, params }) => {
        return `${instancePath}: ${message} ${JSON.stringify(params)}`;
      });
}

/** Paths of the values' keys, as far as the schema names them. */
function keysOf(value: unknown, of: Schema | undefined, path = ''): string[] {
  if (of?.properties === undefined || path.endsWith('/settings')) return [path];
  return Object.keys(of.properties).flatMap((key) => {
    if (path === '' && key === 'global') return [];
    assert.ok(Object.hasOwn(Object(value) as object, key), `${path}/${key} is in values.yaml`);
    const inner = (value as Record<string, unknown>)[key];
    return keysOf(inner, of.properties?.[key], `${path}/${key}`);
  });
}

test('the chart has the version of the package, and its image is of this version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const chart = parse(chartFile('Chart.yaml')) as Record<string, string>;
  assert.deepEqual([chart['version'], chart['appVersion']], [version, version]);
  assert.ok(manifestText('prorata.yaml').includes(`image: prorata:${version}\n`));
});

test('the schema knows each value of values.yaml, and values.yaml each key of the schema', () => {
  assert.deepEqual(refusals(values), []);
  assert.ok(keysOf(values, schema).length > 50);
});

test('settings of the chart are those of the server, but for credentials and for what the chart sets', () => {
  const found = schema.properties?.['settings']?.properties;
  assert.deepEqual(found, settingsSchema(), 'run node --import tsx scripts/render-chart.ts');
  const agents = schema.properties?.['agent']?.properties?.['settings']?.properties;
  assert.deepEqual(agents, agentSettingsSchema(), 'run node --import tsx scripts/render-chart.ts');
  const variables = new Set(ROWS.map(({ env }) => env));
  for (const name of OWN_VARIABLES) assert.ok(variables.has(name), `${name} is a setting`);
  for (const name of SECRET_VARIABLES) assert.ok(!Object.hasOwn(found, name), name);
  assert.ok(
    SECRET_VARIABLES.includes('METRICS_TOKEN') && SECRET_VARIABLES.includes('METRICS_HEADER'),
  );
});

// prettier-ignore
const REFUSED: readonly (readonly [name: string, given: Record<string, unknown>, message: RegExp])[] = [
  ['an unknown key', { metricUrl: 'http://a' }, /additionalProperty":"metricUrl"/],
  ['an unknown key within another', { image: { repository: 'a', version: '1' } }, /^\/image: .*"version"/],
  ['an unknown setting', { settings: { LOGLEVEL: 'debug' } }, /^\/settings: .*"LOGLEVEL"/],
  ['a credential among settings', { settings: { METRICS_TOKEN: 'x' } }, /^\/settings: .*"METRICS_TOKEN"/],
  ['a setting that the chart sets', { settings: { DATA_DIR: '/tmp' } }, /^\/settings: .*"DATA_DIR"/],
  ['a password in the URL of a store', { store: { url: 'clickhouse://ann:secret@a/b' } }, /^\/store\/url: must NOT be valid/],
  ['a store that is none', { store: { url: 'ftp://a' } }, /^\/store\/url: must match/],
  ['no server that answers', { replicas: { readers: 0 } }, /^\/replicas\/readers: must be >= 1/],
  ['a list as a setting', { settings: { DISCOUNT: [] } }, /^\/settings\/DISCOUNT: must be string,number,boolean/],
  ['a metrics store without a scheme', { metricsUrl: 'prometheus:9090' }, /^\/metricsUrl: must match/],
  ['credentials in a URL', { metricsUrl: 'http://ann:secret@a' }, /^\/metricsUrl: must NOT be valid/],
  ['a number as a name', { clusterId: 7 }, /^\/clusterId: must be string/],
  ['memory in bytes', { memory: 1024 }, /^\/memory: must be string/],
  ['memory in words', { memory: '1 GB' }, /^\/memory: must match/],
  ['a size without a unit', { storage: { size: '10' } }, /^\/storage\/size: must match/],
  ['storage without a size', { storage: {} }, /^\/storage: must have required property 'size'/],
  ['a digest that is none', { image: { repository: 'a', digest: 'sha256:1' } }, /^\/image\/digest: must match/],
  ['a gate that is open', { auth: 'none' }, /^\/auth: must be equal to one of/],
  ['a retention of hours', { receive: { retention: '12h' } }, /^\/receive\/retention: must match/],
  ['a text as a switch', { rights: { read: 'yes' } }, /^\/rights\/read: must be boolean/],
  ['a namespace that is none', { rights: { write: { namespaces: ['*'] } } }, /namespaces\/0: must match/],
  ['clients from anywhere', { network: { clients: {} } }, /^\/network\/clients: must NOT have fewer/],
  ['a port that is none', { service: { port: 0 } }, /^\/service\/port: must be >= 1/],
  ['a file of two sources', { files: [{ path: '/a', secret: 'a', configMap: 'b' }] }, /^\/files\/0: must match exactly one/],
  ['a file of no source', { files: [{ path: '/a' }] }, /^\/files\/0: must match exactly one/],
];

for (const [name, given, message] of REFUSED) {
  test(`the schema refuses ${name}`, () => {
    assert.match(refusals(given).join('\n'), new RegExp(message.source, 'm'));
  });
}

const SHIPPED = ['network/https.yaml', 'rights/read/rights.yaml', 'rights/agent/rights.yaml', 'rights/write/plan.yaml', 'rights/write/apply.yaml']; // prettier-ignore

test('the manifests have fields that Kubernetes knows, with values of their types', () => {
  const manifests = [workloadText(), ...SHIPPED.map(manifestText)].flatMap(manifestsIn);
  assert.deepEqual(
    manifests.filter((one) => !isBuiltIn(one)),
    [],
  );
  assert.deepEqual(manifests.flatMap(wrongFields), []);
});

// prettier-ignore
const PLANTED: readonly (readonly [name: string, from: string, to: string, message: RegExp])[] = [
  ['a field that is not there', 'serviceName:', 'service:', /spec\.service: V1StatefulSetSpec has no such field/],
  ['a field at another depth', 'fsGroup: 65532', 'sysctl: {}', /securityContext\.sysctl: V1PodSecurityContext/],
  ['a field that is missing', '- { name: http, containerPort: 9003 }', '- { name: http }', /ports\.0\.containerPort is missing/],
  ['a number as a text', 'replicas: 1', "replicas: '1'", /spec\.replicas: "1" is no number/],
  ['a text as a number', "value: '9003'", 'value: 9003', /env\.1\.value: 9003 is no string/],
  ['a list as a map', 'policyTypes: [Ingress, Egress]', 'policyTypes: Ingress', /policyTypes: "Ingress" is no list/],
  ['a map as a text', 'seccompProfile: { type: RuntimeDefault }', 'seccompProfile: RuntimeDefault', /seccompProfile: "RuntimeDefault" is no V1/],
  ['a number in a map of texts', 'storage: 10Gi', 'storage: 10', /requests\.storage: 10 is no string/],
];

for (const [name, from, to, message] of PLANTED) {
  test(`${name} is found in a manifest`, () => {
    const text = workloadText();
    assert.ok(text.includes(from), 'the text is there');
    assert.match(manifestsIn(text.replace(from, to)).flatMap(wrongFields).join('\n'), message);
  });
}

const FIXED = new URL('../fixtures/deploy/immutable-fields.json', import.meta.url);

test('an upgrade from any version changes no field that Kubernetes does not let change', () => {
  const byVersion = JSON.parse(readFileSync(FIXED, 'utf8')) as Record<string, object>;
  const today = immutableFields(
    [workloadText(), ...SHIPPED.map(manifestText)].flatMap(manifestsIn),
  );
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  assert.ok(byVersion[version] !== undefined, `${version} is in immutable-fields.json`);
  for (const [, fields] of Object.entries(byVersion)) assert.deepEqual(today, fields);
  const changed = workloadText().replaceAll('serviceName: prorata', 'serviceName: costs');
  assert.notDeepEqual(
    immutableFields(manifestsIn(changed)),
    immutableFields(manifestsIn(workloadText())),
  );
});

for (const name of ['rules', 'dashboards']) {
  test(`the ${name} of the chart are those of deploy/${name}`, () => {
    // A link: helm reads nothing that is outside of the chart.
    assert.equal(realpathSync(join(CHART, name)), join(ROOT, 'deploy', name));
  });
}

test('helm test passes where a server answers and asks for a token, and fails where none does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-chart-'));
  const tokens = join(folder, 'tokens.yaml');
  const sha256 = createHash('sha256').update('a').digest('hex');
  writeFileSync(tokens, `- {name: ann, sha256: ${sha256}, roles: [viewer]}\n`);
  const flags = ['--demo=true', '--refresh=0', '--auth=tokens', `--tokens=${tokens}`];
  const server = await startServerProcess(flags);
  const args = ['--input-type=module', '--eval', chartFile('files/answers.js').trim()];
  const run = (): { readonly status: number | null; readonly stdout: string } =>
    spawnSync(process.execPath, args, { env: { PRORATA_URL: server.url }, encoding: 'utf8' });
  try {
    const passed = run();
    assert.equal(passed.status, 0, passed.stdout);
    assert.equal(passed.stdout.match(/^ok: GET/gm)?.length, 3);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  const failed = run();
  assert.equal(failed.status, 1);
  assert.match(failed.stdout, /^WRONG: GET \/healthz: no answer: .*ECONNREFUSED/m);
});
