/** The bundle, which users run, answers like the sources, on both front ends. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { exchange } from '../http/front-ends.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const FLAGS = ['--now=2024-05-03T08:00:00Z', '--refresh=0', '--workers=1', '--timezone=UTC'];
const COMPUTE = '/model/allocation/compute?window=2024-05-02T00:00:00Z,2024-05-02T01:00:00Z';
/** An upper bound: requests ask for the connection to be closed. */
const SILENT_MS = 20_000;

const keep = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = (path: string, headers: string = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;
const headOf = (kib: number): string => get('/healthz', `X-Long: ${'x'.repeat(kib * 1024)}\r\n`);

const REQUESTS: readonly (readonly [string, string])[] = [
  ['the index', get('/')],
  ['health', get('/healthz')],
  ['health by HEAD', get('/healthz').replace('GET', 'HEAD')],
  ['readiness', get('/readyz?verbose')],
  ['the version', get('/version')],
  ['options', get('/model/assets').replace('GET', 'OPTIONS')],
  ['a path that is not there', get('/nowhere')],
  ['a method that is not taken', get('/healthz').replace('GET', 'PUT')],
  ['a query that is refused', get('/model/allocation/compute?window=never')],
  ['rows as JSON', get(`${COMPUTE}&aggregate=namespace`)],
  ['rows as CSV', get(`${COMPUTE}&format=csv&columns=full`)],
  ['rows as Arrow', get(`${COMPUTE}&format=arrow`)],
  ['rows, compressed', get(`${COMPUTE}&aggregate=pod`, 'Accept-Encoding: gzip\r\n')],
  ['two requests in a packet', keep('/healthz') + get('/version')],
  ['two lengths', get('/healthz', 'Content-Length: 1\r\nContent-Length: 2\r\n')],
  ['a body that is too long', 'POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n'],
  ['a head of 3 KiB', headOf(3)],
  ['a head of 63 KiB', headOf(63)],
  ['a head of 70 KiB', headOf(70)],
  ['a head of 200 KiB', headOf(200)],
];

for (const frontEnd of FRONT_END_NAMES) {
  describe(`the bundle over ${frontEnd}`, () => {
    let bundle: ServerProcess;
    let sources: ServerProcess;
    before(async () => {
      const flags = [...FLAGS, `--front-end=${frontEnd}`];
      bundle = await startServerProcess(flags);
      sources = await startServerProcess(flags, { runs: 'sources' });
    });
    after(async () => {
      assert.deepEqual([await bundle.stop(), await sources.stop()], [0, 0]);
    });

    for (const [what, bytes] of REQUESTS) {
      test(`answers like the sources: ${what}`, async () => {
        const [one, other] = await Promise.all(
          [bundle, sources].map(({ port }) => exchange(port, bytes, SILENT_MS)),
        );
        assert.equal(undated(one), undated(other));
        if (what !== 'two lengths') assert.match(one ?? '', /^HTTP\/1.1 [1-5]\d\d /);
      });
    }

    test('accepts a head of 63 KiB, and refuses one of 70 KiB in the one error form', async () => {
      assert.match(await exchange(bundle.port, headOf(63), SILENT_MS), /^HTTP\/1.1 200 OK\r\n/);
      const tooLong = headOf(70).replace('Connection: close\r\n', '');
      const refusal = await exchange(bundle.port, tooLong, SILENT_MS);
      assert.match(refusal, /^HTTP\/1.1 431 Request Header Fields Too Large\r\n/);
      assert.match(refusal, /\r\nconnection: close\r\n/i);
      const body: unknown = JSON.parse(refusal.slice(refusal.indexOf('\r\n\r\n') + 4));
      assert.deepEqual(body, {
        code: 431,
        message: 'the request line and headers have more than 65536 bytes',
        data: null,
        hint: 'shorten filters and lists, or ask in several requests',
      });
      assert.match(await exchange(bundle.port, get('/healthz'), SILENT_MS), /^HTTP\/1.1 200 OK/);
    });

    test('S-18: logs only lines of JSON', () => {
      for (const line of bundle.lines) assert.doesNotThrow(() => JSON.parse(line), line);
      assert.deepEqual(bundle.errors, []);
    });
  });
}

/** Without what no two answers have alike. */
function undated(answer: string | undefined): string | undefined {
  return answer?.replace(/\r\n(date|x-request-id): [^\r]*/gi, '');
}
