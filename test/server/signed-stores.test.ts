/** Metrics stores that want signatures of AWS: a server that computes each from what came over the wire. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { awsSigner } from '../../src/buckets/index.ts';
import type { OpenStore } from '../../src/metrics/index.ts';
import { Fault } from '../../src/query/index.ts';
import { openConfiguredStore } from '../../src/server/configured-store.ts';
import { openConfiguredStores } from '../../src/server/metrics-stores/open-stores.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { quickFolder } from '../support/quick-folder.ts';
import { cloudsOf } from '../support/servers/cloud-options.ts';
import { startCloud, type CloudAnswer, type CloudRequest } from '../support/servers/scripted-cloud.ts'; // prettier-ignore
import { s3Script, s3Variables, unsigned } from '../support/stores/s3-script.ts';

const home = quickFolder('signed-stores');
const script = s3Script('none');
const signal = new AbortController().signal;

/** PromQL alone, of one workspace. */
function workspace(request: CloudRequest): CloudAnswer {
  const refusal = unsigned(script, request, 'aps');
  const digest = createHash('sha256')
    .update(request.bytes ?? '')
    .digest('hex');
  if (refusal !== undefined) return refusal;
  if (digest !== request.headers['x-amz-content-sha256']) return { status: 400 };
  if (request.url.pathname !== '/workspaces/ws-1%20a/api/v1/query') return { status: 404 };
  const data = { resultType: 'scalar', result: [1, '1'] };
  return { body: JSON.stringify({ status: 'success', data }) };
}

const store = await startCloud(workspace);
after(() => store.close());
const url = `${store.origin}/workspaces/ws-1%20a`;

function opened(
  variables: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): OpenStore {
  const args = ['--metrics-url', url, '--metrics-auth', 'aws', ...flags];
  const { config } = loadConfig(args, variables, () => '');
  const found = openConfiguredStore(config, config.metricsUrl ?? '', { idleTimeoutMs: 5000 });
  assert.ok('clockAheadMs' in found);
  return found;
}

test('each request is signed, and the reader is found that the store has', async () => {
  const one = opened(s3Variables('http://127.0.0.1:1'));
  assert.equal(await one.chosen(signal), 'query-range');
  assert.ok(store.requests.length >= 3);
  await one.close();
});

test('a secret that is wrong, and no keys at all, are told, and no key is', async () => {
  const variables = { ...s3Variables(store.origin), AWS_SECRET_ACCESS_KEY: 'hunter2' };
  const one = opened(variables, ['--metrics-reader', 'query-range']);
  await assert.rejects(one.clockAheadMs(signal), (error: Error) => {
    assert.match(error.message, /it answered 403: .*SignatureDoesNotMatch/);
    return !error.message.includes('hunter2');
  });
  await one.close();
  const nobody = opened({ AWS_EC2_METADATA_DISABLED: 'true' });
  await assert.rejects(
    nobody.clockAheadMs(signal),
    /no keys of AWS to sign requests to 127\.0\.0\.1/,
  );
  await nobody.close();
});

test('keys of a role that ended are fetched anew once they were refused', async () => {
  let given = 0;
  const agent = await startCloud(() => {
    const [[id, secret] = ['', '']] = [...script.secrets];
    const keys = { AccessKeyId: given++ === 0 ? 'ENDED' : id, SecretAccessKey: secret };
    const Expiration = new Date(Date.now() + 3_600_000).toISOString();
    return { body: JSON.stringify({ ...keys, Token: 'session', Expiration }) };
  });
  script.sessionToken = 'session';
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = `${agent.origin}/keys`;
  const one = opened({ AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_REGION: script.region });
  try {
    await assert.rejects(one.clockAheadMs(signal), /403/);
    assert.ok(Math.abs((await one.clockAheadMs(signal)) ?? Infinity) < 60_000);
    await one.clockAheadMs(signal);
    assert.equal(given, 2);
  } finally {
    delete script.sessionToken;
    await one.close();
    agent.close();
  }
});

test('the region is that of the host, else that of the settings', async () => {
  const options = cloudsOf({ ...s3Variables('http://127.0.0.1:1'), AWS_REGION: 'us-east-1' });
  const signer = awsSigner('aps', options.aws, options);
  const regionOf = [
    'aps-workspaces.eu-central-1.amazonaws.com',
    'vpce-0a1b-c2d3.aps-workspaces.ap-southeast-2.vpce.amazonaws.com',
    'aps-workspaces.us-gov-west-1.amazonaws.com',
    'prometheus.example.com',
  ].map(async (host) => {
    const request = { method: 'GET', url: new URL(`https://${host}/`), body: undefined };
    const { authorization = '' } = await signer.headers(request, signal);
    return /Credential=\w+\/\d+\/([\w-]+)\/aps\//.exec(authorization)?.[1];
  });
  const regions = ['eu-central-1', 'ap-southeast-2', 'us-gov-west-1', 'us-east-1'];
  assert.deepEqual(await Promise.all(regionOf), regions);
});

test('signatures and another credential for one store are refused', () => {
  const refused = (flags: readonly string[], variables = {}): void =>
    assert.throws(
      () => opened(variables, flags),
      (error) => error instanceof Fault && /it takes one of them/.test(error.message),
    );
  refused([], { METRICS_TOKEN: 'a' });
  refused(['--metrics-user', 'ann'], { METRICS_PASSWORD: 'a' });
  refused(['--metrics-url', url.replace('//', '//ann:a@')]);
});

test('a file of stores says of each whether it is signed', async () => {
  const path = join(home, 'stores.yaml');
  const open = (text: string): ReturnType<typeof openConfiguredStores> => {
    writeFileSync(path, text);
    const variables = s3Variables('http://127.0.0.1:1');
    const { config } = loadConfig(['--metrics-stores', path], variables, () => '');
    return openConfiguredStores(config, ['cluster'], { idleTimeoutMs: 5000 });
  };
  const many = open(`- {name: a, url: '${url}', auth: aws}`);
  const [source] = many.stores.flatMap(({ entry }) => entry.replicas);
  assert.ok(source !== undefined && 'chosen' in source.source);
  assert.equal(await (source.source as OpenStore).chosen(signal), 'query-range');
  await many.close();
  assert.throws(() => open(`- {name: a, url: '${url}', auth: gcp}`), /auth is not aws/);
  const two = `- {name: a, url: '${url}', auth: aws, token-file: x}`;
  assert.throws(() => open(two), /it takes auth, or a user or a token-file/);
});
