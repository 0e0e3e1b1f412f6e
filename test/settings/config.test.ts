import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { divideMemory, leastLimitBytes } from '../../src/settings/memory-budget.ts';
import { loadConfig, type Config } from '../../src/settings/config.ts';
import { JOIN_TAGS } from '../../src/billing/external/index.ts';
import { Fault } from '../../src/query/index.ts';

const MACHINE = { cores: 6, memoryBytes: 10 * 2 ** 30 };
const MIB = 2 ** 20;

interface Sources {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: string;
}

/** Loads with `file`, when there is one, as the text of `prorata.yaml`. */
function load({ argv = [], env = {}, file }: Sources, machine = MACHINE): Config {
  const flags = file === undefined ? argv : [...argv, '--config', 'prorata.yaml'];
  return loadConfig(flags, env, () => file ?? '', machine).config;
}

const UNSET = [
  'metricsStores', 'metricsUser', 'metricsPassword', 'metricsPasswordFile', 'metricsToken', 'metricsTokenFile', 'metricsAuth', 'metricsTenant', 'metricsHeader',
  'metricsCaFile', 'metricsCertFile', 'metricsKeyFile', 'customCostToken', 'customCostTokenFile', 'receiveToken', 'receiveTokenFile', 'billCurrencies', 'billFolder', 'billUrls', 'awsAccessKeyId',
  'awsSecretAccessKey', 'awsSessionToken', 'awsEndpointUrl', 'awsStsUrl', 'awsRoleArn', 'awsWebIdentityTokenFile', 'awsContainerUrl',
  'awsContainerTokenFile', 'awsMetadataUrl', 'googleCredentialsFile', 'azureClientId', 'azureTenantId', 'azureTokenFile', 'auditLog', 'tlsCert', 'tlsKey', 'tokens', 'dataDir', 'store', 'storePassword', 'storePasswordFile', 'clusterLabel', 'nowMs',
  'oidcIssuer', 'oidcAudience', 'oidcFilterClaim', 'oidcClientId', 'oidcClientSecretFile', 'publicUrl', 'sessionKeyFile', 'agentNode', 'agentBuffer', 'kubeletCaFile', 'dcgmPort', 'remoteWriteUrl', 'remoteWriteUser', 'remoteWritePassword', 'remoteWritePasswordFile', 'remoteWriteToken', 'remoteWriteTokenFile', 'remoteWriteTenant', 'remoteWriteHeader', 'remoteWriteCaFile', 'remoteWriteCertFile', 'remoteWriteKeyFile',
]; // prettier-ignore

const RUNNING = { storePush: 'auto', metricsReplicaLabels: ['replica', 'prometheus_replica'], auth: 'none', failedSignIns: 60, oidcGroupsClaim: 'groups', trustedProxies: [], proxyUserHeader: 'x-forwarded-user', proxyGroupsHeader: 'x-forwarded-groups', groupRoles: new Map(), requestsPerSecond: 0, apiDialect: 'prefix', isExactDays: false, corsOrigins: { listed: [], isReadByOthers: true }, costMetricsMs: 60_000, costMetricsRows: 20_000, isAccessLogged: false, logLevel: 'info', auditLogBytes: 16 * MIB, auditLogFiles: 20, drainDelayMs: 1000, drainTimeoutMs: 25_000, remoteWriteVersion: 'auto', agentReads: 'all', agentIntervalMs: 60_000, agentBufferLimitBytes: 2 ** 30, agentLabels: {}, isKubeletInsecure: false, isReceiving: false, outOfOrderMs: 7_200_000, rawRetentionMs: 15 * 86_400_000, receiveSeries: 0, receiveRate: 300_000 }; // prettier-ignore
const BUCKETS = { awsRegion: 'us-east-1', awsRoleSessionName: 'prorata', isAwsMetadataOff: false, googleMetadataHost: 'metadata.google.internal', gcsUrl: 'https://storage.googleapis.com', azureAuthority: 'https://login.microsoftonline.com', azureMetadataUrl: 'http://169.254.169.254', azblobUrl: 'https://{account}.blob.core.windows.net' }; // prettier-ignore

test('without any setting the defaults hold', () => {
  const { told, ...config } = load({});
  assert.ok(told.length > 60 && told.every(({ from }) => from === 'default'));
  assert.deepEqual(config, {
    ...RUNNING,
    host: '127.0.0.1',
    port: 9003,
    allowedHosts: [],
    isBindInsecure: false,
    billRedirectHosts: [],
    metricsUrl: undefined,
    demo: undefined,
    timezone: 'UTC',
    clusterId: 'default-cluster',
    storeCacheBytes: 4 * 2 ** 30,
    role: 'all',
    leaseMs: 30_000,
    workers: 6,
    memoryLimitBytes: 6 * 2 ** 30,
    memory: divideMemory(6 * 2 ** 30, 6),
    frontEnd: undefined,
    readTimeoutMs: 120_000,
    nodeTypes: undefined,
    isListOn: true,
    controlPlanes: [],
    isMemoryChecked: false,
    retentionMs: 400 * 86_400_000,
    refreshMs: 300_000,
    sealAfterMs: 3_600_000,
    metricsReader: 'auto',
    ...Object.fromEntries(UNSET.map((name) => [name, undefined])),
    isClusterController: false,
    isCostEventsAudit: false,
    keepsCostEvents: false,
    kubeconfig: undefined,
    leastCpuMillicores: 25,
    leastRamBytes: 64 * MIB,
    deniedNamespaces: ['kube-system'],
    armProvider: 'AWS',
    externalTags: JOIN_TAGS,
    billRefreshMs: 600_000,
    ...BUCKETS,
    requestSizingShape: 'object',
    discount: 0,
    negotiatedDiscount: 0,
    prices: {
      cpuCoreHour: 0.031611,
      ramGiBHour: 0.004237,
      gpuHour: 0.95,
      spotCpuCoreHour: 0.006655,
      spotRamGiBHour: 0.000892,
      storageGiBHour: 0.04 / 730,
      zoneEgressGiB: 0.01,
      regionEgressGiB: 0.01,
      internetEgressGiB: 0.12,
      clusterManagementHour: 0,
      usdPerEuro: 0,
    },
  });
});

/** Each setting as flag, variable and key of the file, with a text and its value. */
const ROWS: readonly (readonly [keyof Config, string, string, string, string, unknown])[] = [
  ['host', 'host', 'HOST', 'host', '0.0.0.0', '0.0.0.0'],
  ['host', 'host', 'HOST', 'host', '::1', '::1'],
  ['port', 'port', 'PORT', 'port', '0', 0],
  ['allowedHosts', 'allowed-hosts', 'ALLOWED_HOSTS', 'allowedHosts', 'a.b, *.c.d', ['a.b', '*.c.d']], // prettier-ignore
  ['isBindInsecure', 'insecure-bind', 'INSECURE_BIND', 'insecureBind', 'true', true],
  ['billRedirectHosts', 'bill-redirect-hosts', 'BILL_REDIRECT_HOSTS', 'billRedirectHosts', 'x.y', ['x.y']], // prettier-ignore
  ['dataDir', 'data-dir', 'DATA_DIR', 'dataDir', './data', './data'],
  ['metricsUrl', 'metrics-url', 'PROMETHEUS_SERVER_ENDPOINT', 'metricsUrl', 'http://p', 'http://p'],
  ['metricsStores', 'metrics-stores', 'METRICS_STORES', 'metricsStores', '/s.yaml', '/s.yaml'],
  ['timezone', 'timezone', 'TIMEZONE', 'timezone', 'Europe/Berlin', 'Europe/Berlin'],
  ['clusterId', 'cluster-id', 'CLUSTER_ID', 'clusterId', 'prod/eu 1', 'prod/eu 1'],
  ['clusterLabel', 'cluster-label', 'PROM_CLUSTER_ID_LABEL', 'clusterLabel', 'cl', 'cl'],
  ['workers', 'workers', 'WORKERS', 'workers', '1', 1],
  ['memoryLimitBytes', 'memory-limit', 'MEMORY_LIMIT', 'memoryLimit', '512Mi', 512 * MIB],
  ['memoryLimitBytes', 'memory-limit', 'MEMORY_LIMIT', 'memoryLimit', '1g', 1024 * MIB],
  ['nowMs', 'now', 'PRORATA_NOW', 'now', '1700000000', 1_700_000_000_000],
  ['nowMs', 'now', 'PRORATA_NOW', 'now', '2024-05-03T10:00:00+02:00', 1_714_723_200_000],
  ['frontEnd', 'front-end', 'FRONT_END', 'frontEnd', 'node', 'node'],
  ['readTimeoutMs', 'read-timeout', 'READ_TIMEOUT', 'readTimeout', '1m30s', 90_000],
  ['metricsReader', 'metrics-reader', 'METRICS_READER', 'metricsReader', 'auto', 'auto'],
  // prettier-ignore
  ['metricsReader', 'metrics-reader', 'METRICS_READER', 'metricsReader', 'query-range', 'query-range'],
  ['metricsUser', 'metrics-user', 'METRICS_USER', 'metricsUser', 'me', 'me'],
  ['metricsTenant', 'metrics-tenant', 'METRICS_TENANT', 'metricsTenant', 'a|b', 'a|b'],
  ['nodeTypes', 'node-types', 'NODE_TYPES', 'nodeTypes', 'types.csv', 'types.csv'],
  // prettier-ignore
  ['controlPlanes', 'control-planes', 'CONTROL_PLANES', 'controlPlanes', 'aks-standard, a=b=eks-standard', [{ cluster: '', tier: 'aks-standard' }, { cluster: 'a=b', tier: 'eks-standard' }]],
  ['isListOn', 'list-prices', 'LIST_PRICES', 'listPrices', 'false', false],
  ['discount', 'discount', 'DISCOUNT', 'discount', '30%', 0.3],
  // prettier-ignore
  ['negotiatedDiscount', 'negotiated-discount', 'NEGOTIATED_DISCOUNT', 'negotiatedDiscount', '7.5%', 0.075],
];

for (const [name, flag, variable, key, text, expected] of ROWS) {
  test(`${name} '${text}' is read alike from --${flag}, ${variable} and the file`, () => {
    assert.deepEqual(load({ argv: [`--${flag}=${text}`] })[name], expected);
    assert.deepEqual(load({ argv: [`--${flag}`, text] })[name], expected);
    assert.deepEqual(load({ env: { [variable]: text } })[name], expected);
    assert.deepEqual(load({ file: `# ours\n${key}: "${text}"\n` })[name], expected);
  });
}

for (const [variable, key] of [
  ['METRICS_PASSWORD', 'metricsPassword'],
  ['METRICS_TOKEN', 'metricsToken'],
] as const)
  test(`${variable} is read from the environment only, and never shown`, () => {
    assert.equal(load({ env: { [variable]: 's3cret' } })[key], 's3cret');
    const flag = key.replace('metrics', '--metrics-').toLowerCase();
    assert.throws(() => load({ argv: [`${flag}=s3cret`] }), /^Fault: unknown flag: '--metrics-/);
    assert.throws(() => load({ file: `${key}: s3cret` }), /^Fault: unknown key/);
    assert.throws(
      () => load({ env: { [variable]: 's3c\u0001ret' } }),
      (error: Error) => !error.message.includes('s3c') && error.message.includes(variable),
    );
  });

test('a flag wins over a variable, a variable over the file, the file over the default', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), fc.boolean(), (flag, variable, file) => {
      const config = load({
        argv: flag ? ['--port', '1'] : [],
        env: variable ? { PORT: '2' } : {},
        ...(file ? { file: 'port: 3' } : {}),
      });
      assert.equal(config.port, flag ? 1 : variable ? 2 : file ? 3 : 9003);
    }),
  );
});

test('an empty value means unset, and the last of several flags counts', () => {
  assert.equal(load({ argv: ['--port='], env: { PORT: '' }, file: 'port:\nhost:' }).port, 9003);
  assert.equal(load({ argv: ['--port='], env: { PORT: '2' } }).port, 2);
  assert.equal(load({ argv: ['--port=1', '--port', '4'] }).port, 4);
  assert.equal(load({ file: '' }).port, 9003);
  assert.equal(load({ file: '# nothing\n---\n' }).port, 9003);
});

test('prices come from the file, the others have their default', () => {
  const { prices } = load({
    file: 'prices:\n  gpuHour: 2.5\n  cpuCoreHour: 0\n  ramGiBHour: 1e-3\n',
  });
  assert.deepEqual(
    [prices.gpuHour, prices.cpuCoreHour, prices.ramGiBHour, prices.spotCpuCoreHour],
    [2.5, 0, 0.001, 0.006655],
  );
});

test('the configuration is frozen, prices too', () => {
  const config = load({});
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.prices), 'not frozen');
});

test('as many workers run as fit the memory limit', () => {
  const { workers, memory } = load({ argv: ['--memory-limit', '256Mi', '--workers', '64'] });
  assert.deepEqual([workers, memory.wantedThreads], [memory.threads, 64]);
  assert.ok(workers >= 2 && leastLimitBytes(workers + 1) > 256 * MIB, `${workers} workers`);
});

test('defaults fit the machine: two workers at least, 60 % of its memory', () => {
  const small = load({}, { cores: 1, memoryBytes: 100 * MIB });
  assert.deepEqual([small.workers, small.memoryLimitBytes], [2, 256 * MIB]);
  assert.equal(load({}, { cores: 64, memoryBytes: 1000 * MIB }).memoryLimitBytes, 600 * MIB);
});

const REFUSED: readonly (readonly [Sources, RegExp, RegExp])[] = [
  [{ argv: ['--port', '65536'] }, /^--port: '65536' is not a port in 0 to 65535/, /9003/],
  [{ argv: ['--port=0x50'] }, /^--port: '0x50'/, /9003/],
  [{ argv: ['--port=-1'] }, /^--port: '-1'/, /9003/],
  [{ env: { PORT: 'http' } }, /^PORT: 'http' is not a port/, /9003/],
  [{ file: 'port: 1.5' }, /^port in prorata.yaml: '1.5' is not a port/, /9003/],
  [{ argv: ['--workers', '0'] }, /^--workers: '0'/, /4/],
  [{ argv: ['--timezone', 'Mars/Olympus'] }, /^--timezone: 'Mars\/Olympus'/, /Europe\/Berlin/],
  [{ argv: ['--metrics-url', 'prometheus:9090'] }, /is not an http, https/, /http:/],
  [{ argv: ['--metrics-url', 'ftp://x'] }, /is not an http, https/, /http:/],
  [{ argv: ['--cluster-label', 'a-b'] }, /is not a label name/, /cluster_id/],
  [{ argv: ['--cluster-id', 'a\nb'] }, /is not a name/, /default-cluster/],
  [
    { argv: ['--memory-limit', '173Mi'] },
    /^--memory-limit: '173Mi' .*at least 174Mi, which one worker/,
    /2GiB/,
  ],
  [{ argv: ['--memory-limit', 'lots'] }, /is not an amount of memory/, /2GiB/],
  [{ argv: ['--now', '2024-02-30T00:00:00Z'] }, /is not an RFC 3339/, /2024/],
  [{ argv: ['--now', '1700000000000'] }, /Unix seconds, within 1970 to 9999/, /2024/],
  [{ argv: ['--front-end', 'nginx'] }, /is not uws or node/, /node/],
  [{ argv: ['--read-timeout', '0s'] }, /is not a duration/, /90s/],
  [{ argv: ['--read-timeout', '25h'] }, /at most 1d/, /90s/],
  [
    { argv: ['--control-planes', 'eks'] },
    /^--control-planes: 'eks' is not a list of tiers or/,
    /legacy=/,
  ],
  [{ argv: ['--control-planes', 'aks-free,aks-standard'] }, /is not a list of tiers/, /legacy=/],
  [{ argv: ['--control-planes', 'a=none,a=eks-standard'] }, /is not a list of tiers/, /legacy=/],
  [{ argv: ['--discount', '30'] }, /^--discount: '30' is not a part in 0 to 1/, /30%/],
  [{ env: { NEGOTIATED_DISCOUNT: 'all' } }, /^NEGOTIATED_DISCOUNT: 'all'/, /30%/],
  [{ file: 'prices: {gpuHour: -1}' }, /^prices.gpuHour in prorata.yaml: '-1'/, /0.03/],
  [{ file: 'prices: {gpuHour: .inf}' }, /is not a price/, /0.03/],
  [{ file: 'prices: {gpuHour: 1e309}' }, /is not a price/, /0.03/],
  [{ argv: ['--prot', '1'] }, /^unknown flag: '--prot'/, /did you mean '--port'\?/],
  [{ argv: ['-p', '1'] }, /^unknown flag: '-p'/, /known: host, port/],
  [{ argv: ['--no-port'] }, /^unknown flag: '--no-port'/, /'--port'/],
  [{ argv: ['--__proto__=1'] }, /^unknown flag/, /known/],
  [{ argv: ['serve'] }, /^unknown argument: 'serve'/, /known/],
  [{ argv: ['--', 'x'] }, /^unknown argument: 'x'/, /known/],
  [{ argv: ['--port'] }, /^--port needs a value/, /--port=9003/],
  [{ argv: ['--port', '--host', 'x'] }, /^--port needs a value/, /--port=9003/],
  [{ argv: ['--config'] }, /^--config needs a value/, /prorata.yaml/],
  [{ file: 'cluster-id: x' }, /^unknown key in prorata.yaml: 'cluster-id'/, /'clusterId'/],
  [{ file: 'price: {gpuHour: 1}' }, /'price.gpuHour'/, /'prices.gpuHour'/],
  [{ file: 'gpuHour: 1' }, /unknown key/, /known: .*prices.gpuHour/],
  [{ file: 'prices: 3' }, /unknown key in prorata.yaml: 'prices'/, /known: .*prices.gpuHour/],
  [{ file: '__proto__: {port: 1}' }, /'__proto__.port'/, /known/],
  [{ file: 'host: [a, b]' }, /unknown key in prorata.yaml: 'host\[\]'/, /'host'/],
  [{ file: 'just text' }, /unknown key in prorata.yaml: ''/, /known/],
  [{ file: 'port: 1\nport: 2' }, /cannot read prorata.yaml: .*unique/s, /^$/],
  [{ file: 'a: [' }, /^--config: cannot read prorata.yaml/, /^$/],
];

for (const [sources, message, hint] of REFUSED) {
  test(`${JSON.stringify(sources)} is refused`, () => {
    assert.throws(
      () => load(sources),
      (fault: unknown) => {
        assert.ok(fault instanceof Fault, String(fault));
        assert.match(fault.message, message);
        assert.match(fault.hint ?? '', hint);
        return true;
      },
    );
  });
}

test('a file that cannot be read is named, with the cause', () => {
  const missing = (): string => {
    throw new Error('ENOENT: no such file');
  };
  assert.throws(() => loadConfig(['--config', '/etc/none.yaml'], {}, missing), {
    name: 'Fault',
    message: '--config: cannot read /etc/none.yaml: ENOENT: no such file',
  });
});

for (const flag of ['--help', '-h']) {
  test(`${flag} gives a text with all settings, and reads nothing else`, () => {
    const { help = '', config } = loadConfig([flag], { PORT: 'junk' }, () => 'a: [', MACHINE);
    assert.equal(config.port, 9003);
    for (const [, name, variable, key] of ROWS) {
      assert.ok(help.includes(`--${name} VALUE, ${variable}, ${key}\n`), name);
    }
    for (const price of Object.keys(config.prices))
      assert.ok(help.includes(`prices.${price}\n`), price);
    const longest = Math.max(...help.split('\n').map((line) => line.length));
    assert.ok(longest <= 100, `${longest} characters in a line`);
  });
}

test('there is no help without its flag, and this machine has defaults', () => {
  const { help, config } = loadConfig([], {}, () => '');
  assert.equal(help, undefined);
  assert.ok(config.workers >= 2 && config.memory.heapBytes > 0, `${config.workers} workers`);
});
