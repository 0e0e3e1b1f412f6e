/** Addresses of several metrics stores, and the file of stores: what is accepted, and how mistakes are named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '../../src/query/index.ts';
import { readStores } from '../../src/server/metrics-stores/store-file.ts';
import { onlyUrl, readMetricsUrls } from '../../src/settings/metrics-urls.ts';

const ACCEPTED: readonly (readonly [text: string, stores: readonly unknown[]])[] = [
  ['http://p:9090', [[undefined, 'http://p:9090']]],
  ['http://p/', [[undefined, 'http://p']]],
  ['http://p/?a=b', [[undefined, 'http://p/?a=b']]],
  ['eu=http://p us=https://q/x/', [['eu', 'http://p'], ['us', 'https://q/x']]],
  ['http://p  \n http://q', [[undefined, 'http://p'], [undefined, 'http://q']]],
  ['eu=http://p,https://q', [['eu', 'http://p', 'https://q']]],
  ['eu=http://p/a,b', [['eu', 'http://p/a,b']]],
  ['eu=http://p eu=http://q', [['eu', 'http://p'], ['eu', 'http://q']]],
]; // prettier-ignore

describe('addresses of metrics stores', () => {
  for (const [text, stores] of ACCEPTED)
    test(`${JSON.stringify(text)} names ${JSON.stringify(stores)}`, () => {
      const found = readMetricsUrls(text)?.map(({ cluster, urls }) => [cluster, ...urls]);
      assert.deepEqual(found, stores);
    });

  for (const text of [
    '',
    'p:9090',
    'eu=p',
    'eu=ftp://p',
    'http://p http://p',
    '=http://p',
    'a b=http://p',
    'eu=http://[',
    'http://p,ftp://q x',
  ])
    // prettier-ignore
    test(`${JSON.stringify(text)} is refused`, () => {
      assert.equal(readMetricsUrls(text), undefined);
    });

  test('one without a cluster is the only store, as ever', () => {
    assert.equal(onlyUrl(readMetricsUrls('http://p/') ?? []), 'http://p');
    for (const text of ['eu=http://p', 'http://p,http://q', 'http://p http://q'])
      assert.equal(onlyUrl(readMetricsUrls(text) ?? []), undefined);
  });
});

const WHOLE = `
- name: eu
  cluster: production
  url: [http://a/, 'http://b']
  reader: query-range
  user: ann
  password-file: /p
  tenant: a|b
  ca-file: /ca
  timeout: 90s
  concurrency: 3
  matchers: ['cluster="e\\"u"', namespace!~"kube-.*"]
- {name: us, url: http://c}
`;

const MISTAKES: readonly (readonly [text: string, says: RegExp, hint?: RegExp])[] = [
  ['', /^s.yaml is not a list of metrics stores$/, /for example - \{name: eu/],
  ['name: eu', /is not a list/],
  ['- eu', /^s.yaml, line 1: a store has keys$/],
  ['- {url: http://a}', /^s.yaml, line 1: it has no name: a name of letters/],
  ['- {name: eu}', /^s.yaml, line 1: store 'eu': it has no url: an http or https URL/],
  ['- {name: e u, url: http://a}', /^s.yaml, line 1: name is not a name of letters/],
  ['- {name: eu, url: ftp://a}', /store 'eu': url is not an http or https URL/],
  ['- {name: eu, url: [http://a, http://a/]}', /store 'eu': two replicas have one url$/],
  ['- {name: eu, url: http://a, clustr: x}', /store 'eu': unknown key 'clustr'/, /did you mean 'cluster'/],
  ['- {name: eu, url: http://a, token: secret}', /unknown key 'token'/, /^known: name, cluster, url/],
  ['- {name: eu, url: http://a, user: ann}', /user and password-file go together$/],
  ['- {name: eu, url: http://a, user: a, password-file: /p, token-file: /t}', /a user or a token-file, not both$/],
  ['- {name: eu, url: http://a, key-file: /k}', /cert-file and key-file go together$/],
  ['- {name: eu, url: http://a, timeout: 2d}', /timeout is not a duration of at most 1d/],
  ['- {name: eu, url: http://a, concurrency: 0}', /concurrency is not a whole number in 1 to 64$/],
  ['- {name: eu, url: http://a, matchers: [a=b]}', /matchers is not a list of matchers/],
  ['- {name: eu, url: http://a}\n- {name: eu, url: http://b}', /^s.yaml, line 2: store 'eu' is in line 1, too$/],
]; // prettier-ignore

describe('the file of metrics stores', () => {
  test('is read whole', () => {
    const [eu, us] = readStores(WHOLE, 's.yaml');
    assert.deepEqual(eu, {
      name: 'eu',
      cluster: 'production',
      urls: ['http://a', 'http://b'],
      reader: 'query-range',
      user: 'ann',
      passwordFile: '/p',
      tokenFile: undefined,
      auth: undefined,
      tenant: 'a|b',
      caFile: '/ca',
      certFile: undefined,
      keyFile: undefined,
      timeoutMs: 90_000,
      concurrency: 3,
      matchers: [
        { label: 'cluster', operator: '=', value: 'e"u' },
        { label: 'namespace', operator: '!~', value: 'kube-.*' },
      ],
      place: "s.yaml, line 2: store 'eu'",
    });
    assert.deepEqual([us?.name, us?.cluster, us?.matchers], ['us', undefined, []]);
  });

  for (const [text, says, hint] of MISTAKES)
    test(`${JSON.stringify(text)} is refused by file, line, store and key`, () => {
      assert.throws(
        () => readStores(text, 's.yaml'),
        (error: unknown) => {
          assert.ok(error instanceof Fault, String(error));
          assert.match(error.message, says);
          assert.match(error.hint ?? '', hint ?? /^/);
          assert.doesNotMatch(`${error.message} ${error.hint}`, /secret/);
          return true;
        },
      );
    });
});
