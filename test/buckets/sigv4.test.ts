/** Signatures of AWS, against the examples of its documentation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signed } from '../../src/buckets/sigv4.ts';
import { s3Answer, s3Script } from '../support/stores/s3-script.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
  region: 'us-east-1',
};
const NOW_MS = Date.UTC(2013, 4, 24);

const EXAMPLES: readonly (readonly [query: string, signature: string])[] = [
  ['?lifecycle=', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['?prefix=J&max-keys=2', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
];
for (const [query, signature] of EXAMPLES)
  test(`GET /${query}`, () => {
    const url = new URL(`https://examplebucket.s3.amazonaws.com/${query}`);
    assert.equal(
      signed('GET', url, CREDENTIALS, NOW_MS)['authorization'],
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ' +
        `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
    );
  });

test('a session token is signed and sent', () => {
  const url = new URL('https://minio:9000/bucket/a%20b.csv');
  const headers = signed('GET', url, { ...CREDENTIALS, sessionToken: 'token' }, NOW_MS);
  assert.equal(headers['x-amz-security-token'], 'token');
  assert.match(headers['authorization'] ?? '', /x-amz-date;x-amz-security-token,/);
});

const KEY = fc
  .array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map((part) => part.replace(/^\.+$/, 'dots')).join('/'));

test('any key and query is signed as a store computes it from what comes over the wire', () => {
  fc.assert(
    fc.property(KEY, fc.dictionary(fc.string(), fc.string()), (key, query) => {
      const origin = 'http://127.0.0.1:9000';
      const url = new URL(`${origin}/exports/${key.split('/').map(encodeURIComponent).join('/')}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const script = s3Script('exports');
      const nowMs = script.nowMs();
      const [[accessKeyId, secretAccessKey] = ['', '']] = [...script.secrets];
      const keys = { accessKeyId, secretAccessKey, sessionToken: undefined };
      const own = signed('GET', url, { ...keys, region: script.region }, nowMs);
      const headers = { ...own, host: url.host };
      const target = url.href.slice(origin.length);
      const answer = s3Answer(script, { method: 'GET', url, target, headers, body: '' });
      // The file is not there, or it is a list: it was not refused.
      assert.ok(
        [404, undefined].includes(answer.status),
        `${answer.status} ${String(answer.body)}`,
      );
    }),
    { numRuns: 200 },
  );
});
