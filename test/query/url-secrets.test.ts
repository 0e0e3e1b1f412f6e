/** Secrets in URLs are hidden wherever the URL is shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createUrlFeed, readPurpose } from '../../src/billing/deliveries/index.ts';
import { requestPrediction } from '../../src/commands/request-prediction.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Route } from '../../src/http/index.ts';
import { EVERYBODY } from '../../src/http/caller.ts';
import { errorReply } from '../../src/http/reply.ts';
import { ownVisit } from '../../src/http/visit.ts';
import { createLogger } from '../../src/terminal/log.ts';
import { parseStoreUrl } from '../../src/metrics/client/store-url.ts';
import { Fault, hideSecrets, hideUrlSecrets, refuse, Unavailable } from '../../src/query/index.ts';
import { ownRoutes } from '../../src/server/routes.ts';

/** Texts with a unique start, and with characters of passwords and signatures. */
const SECRET = fc
  .string({
    unit: fc.constantFrom(...Array.from('aZ09-._~!$&*+=,;:@/%')),
    minLength: 4,
    maxLength: 40,
  })
  .map((text) => `QX${text.replaceAll('%', '%25')}XQ`);
const MARKS = ['QX', 'XQ'];

function assertHidden(said: string, where: string): void {
  for (const mark of MARKS) assert.ok(!said.includes(mark), `${where}: ${said}`);
}

test('a URL is shown without credentials, query and fragment', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['http://a:9090', 'http://a:9090'],
    ['http://a/b.csv', 'http://a/b.csv'],
    ['http://u:p@a:9090/b', 'http://***@a:9090/b'],
    ['http://token@a', 'http://***@a'],
    ['https://a/b?X-Amz-Signature=s&c=d', 'https://a/b?***'],
    ['https://a/b#s', 'https://a/b#***'],
    ['s3://a/b/?x', 's3://a/b/?***'],
    ['http://u:p@q@a', 'http://***@a'],
    ['u:p@a', '***@a'],
    ['http//u:p/w@a/b', '***@a/b'],
    ['http://u:p?w@a', 'http://***'],
    ['https://u:p@a/b@c?d=e@f', 'https://***@c?***'],
    ['https://a/b@c?d=e@f', 'https://a/b@c?***'],
    ['https://a/b@c#d@e', 'https://a/b@c#***'],
    ['s3cr3t://pass@http://u:p@a:9090/b?c', '***@a:9090/b?***'],
    ['htp://a:9090/b?c', 'htp://a:9090/b?***'],
    ['http://a,http://u:p@b', 'http://***@b'],
    ['eu=http://a,http://u:p@b', '***@b'],
    ['http://a/ us=http://u:p@b ftp://c', 'http://***@b ftp://c'],
    ['http://a,http://b?c', 'http://a,http://b?***'],
  ];
  for (const [url, shown] of rows) assert.equal(hideUrlSecrets(url), shown);
});

test('sentences are unchanged where nothing is secret', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['no URL: a?b=c, u:p@a', 'no URL: a?b=c, u:p@a'],
    ["cannot read 'http://a/b?c': gone", "cannot read 'http://a/b?***': gone"],
    ['(see http://u:p@a/b).', '(see http://***@a/b).'],
    ['{"a":"http://u:p@b?c","d":"e"}', '{"a":"http://***@b?***","d":"e"}'],
    ['{"a":"say \\"http://b?c\\" twice"}', '{"a":"say \\"http://b?***\\" twice"}'],
    ['http://u:p@a http://b?c', 'http://***@a http://b?***'],
  ];
  for (const [text, shown] of rows) assert.equal(hideSecrets(text), shown);
});

test('S-13: no error, answer, log line or setting shows a secret of a URL', async () => {
  await fc.assert(
    fc.asyncProperty(SECRET, SECRET, async (one, other) => {
      const user = encodeURIComponent(one);
      const url = `http://user:${user}@127.0.0.1:1/bill.csv?sig=${other}#${other}`;
      const sentences = [`cannot read ${url}`, `'${url}': refused`, `"${url}", (${url}).`];
      for (const text of sentences) {
        assertHidden(hideSecrets(text), 'a sentence');
        const fault = new Fault(text);
        const refusal = refuse('window', text, 'a window', '7d');
        for (const error of [fault, refusal, new Unavailable(text)]) {
          assertHidden(`${error.message} ${error.stack ?? ''}`, error.name);
          assertHidden(JSON.stringify(errorReply(error, assert.fail).body), 'an answer');
        }
        assertHidden(logged(new TypeError('Failed', { cause: new Error(text) })), 'a log line');
        assertHidden(readiness(text), 'readiness');
      }
      for (const text of [url, `${one}@${url}`, `htp:/${url}`, `http://a b:${one}@c?${other}`]) {
        assertHidden(refusedSetting(`--metrics-url=ftp${text}`), 'a setting');
        assertHidden(refusedSetting(`--metrics-url=http://a/,${text} ftp://b`), 'a setting');
        assertHidden(refusedSetting(`--bill-url=cloud/A=${text}`), 'a setting');
        assertHidden(
          messageOf(() => parseStoreUrl(`${text}?`)),
          'the metrics store',
        );
      }
      assertHidden(parseStoreUrl(`http://user:${user}@a/b`).shown, 'the metrics store');
      assertHidden(await fetched(url), 'a bill');
      assertHidden(await answerTo(`http://user:${user}@127.0.0.1:1/?${other}`), 'a prediction');
    }),
    { numRuns: 60 },
  );
});

function logged(error: Error): string {
  let said = '';
  const stream = {
    writableLength: 0,
    write: (line: string) => void (said += line),
    once: () => undefined,
    on: () => undefined,
  };
  createLogger('info', stream).error({ err: error, error: String(error.cause) }, String(error));
  assert.doesNotThrow(() => JSON.parse(said), said);
  return said;
}

function readiness(text: string): string {
  const about = { version: '', allocationSchema: '', source: text, timezone: 'UTC', tzdata: '' };
  const readiness = {
    notReady: () => undefined,
    isBuilderFailing: () => false,
    details: () => ({ failing: text }),
  };
  const route = ownRoutes(about, readiness).find(({ path }) => path === '/readyz');
  const request = { query: 'verbose', caller: EVERYBODY, visit: ownVisit() } as Parameters<
    Route['handle']
  >[0];
  const reply = route?.handle(request);
  assert.ok(reply !== undefined && 'body' in reply);
  return JSON.stringify(reply.body);
}

function refusedSetting(flag: string): string {
  return messageOf(() => loadConfig([flag], {}, () => ''));
}

function messageOf(refused: () => unknown): string {
  try {
    refused();
  } catch (error) {
    return `${String(error)} ${error instanceof Error ? error.stack : ''}`;
  }
  return assert.fail('it is not refused');
}

async function fetched(url: string): Promise<string> {
  const feed = createUrlFeed({
    as: readPurpose('cloud', '--bill-url'),
    source: 'a',
    urls: [url],
    openBucket: () => assert.fail(),
    redirectHosts: [],
  });
  return rejected(feed.offers(AbortSignal.timeout(10_000)));
}

function answerTo(url: string): Promise<string> {
  return rejected(requestPrediction(url, '', '', AbortSignal.timeout(10_000)));
}

/** @returns the log of the error, with all its causes */
async function rejected(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => assert.fail('it is not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Unavailable, String(error));
  return `${error.message} ${logged(error)}`;
}
