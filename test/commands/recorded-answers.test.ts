/**
 * Each recorded request is answered as recorded, to the byte. An answer that changes on purpose is
 * recorded again by scripts/record-answers.ts, and the diff of its fixture shows the change.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fuzzDescribed, HeldAnswers } from '../../scripts/fuzz-openapi.ts';
import { openApiOf } from '../../src/http/index.ts';
import { DESCRIBED_ROOMS } from '../../src/server/openapi/descriptions.ts';
import { examplesOf } from '../support/described-examples.ts';
import { DescribedApi } from '../support/described-answers.ts';
import { UNUSED_LOGIN_FLAGS } from '../support/servers/login-world.ts';
import { startOwnServer } from '../support/servers/own-server.ts';
import { fileOf, readRecorded, recordedFiles, type Recorded } from '../support/recorded-files.ts';
import { startRecordedServers, type RecordedAnswer, type RecordedServers } from '../support/recorded-answers.ts'; // prettier-ignore
import { keyOf, type RecordedRequest } from '../support/recorded-request.ts';
import { RECORDED_GROUPS } from '../support/recorded-requests.ts';

const LEAST_REQUESTS = 300;
const DESCRIBED_REQUESTS = Number(process.env['DESCRIBED_REQUESTS'] ?? 75);
/** Others are tried by `npm run fuzz -- --openapi 50000`. */
const SEED = 1;

const requests = RECORDED_GROUPS.flatMap(([, group]) => group);
const compared = new Set<string>();

const held = new HeldAnswers();
const folder = mkdtempSync(join(tmpdir(), 'prorata-read-'));
const parametersRead = join(folder, 'parameters');

let servers: RecordedServers;
let api: DescribedApi;
let served: string[];
before(async () => {
  const own = await startOwnServer(['--workers=1', ...UNUSED_LOGIN_FLAGS]);
  await own.stop();
  served = own.routes.map(({ method, path }) => `${method} ${routeOf(path)}`);
  api = new DescribedApi(
    openApiOf(own.routes, DESCRIBED_ROOMS, { version: '0', dialects: 'prefix' }),
  );
  held.api = api;
  servers = await startRecordedServers({
    parametersRead,
    whole: held.whole,
  });
});
after(async () => {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [group, members] of RECORDED_GROUPS) {
  test(`${group}: ${members.length} requests are answered as recorded`, async () => {
    const recorded = readRecorded(group);
    const differing: string[] = [];
    for (const request of members) {
      const answer = await servers.ask(request);
      differing.push(...differences(request, recorded, answer));
      compared.add(`${group}: ${keyOf(request)}`);
    }
    assert.ok(differing.length === 0, `\n${differing.join('\n')}`);
  });
}

test('examples of the document are answered', async () => {
  const asked = examplesOf(api);
  assert.ok(asked.length > 200, `${asked.length} examples`);
  const refused: string[] = [];
  for (const request of asked) {
    const { status, body = '' } = await servers.ask(request);
    if (status >= 400) refused.push(`${request.method} ${request.path}: ${status} ${body}`);
  }
  assert.ok(refused.length === 0, `\n${refused.join('\n')}`);
});

test(`${DESCRIBED_REQUESTS} requests made of the document are answered, and many of them well`, async () => {
  const before = held.counts.get(200) ?? 0;
  await fuzzDescribed(servers, held, { requests: DESCRIBED_REQUESTS, seed: SEED });
  const well = (held.counts.get(200) ?? 0) - before;
  assert.ok(well > DESCRIBED_REQUESTS / 3, `${well} were answered well`);
});

test('the document of the API names the status, the type and the shape of each answer, and none is 5xx', () => {
  assert.ok(held.failures.length === 0, `\n${held.failures.join('\n')}`);
});

test('the document of the API names the parameters that routes read, and no others', () => {
  const read = readFileSync(parametersRead, 'utf8').trimEnd().split('\n');
  assert.ok(read.length > 500, `${read.length} parameters were read`);
  const unmatched = api.unmatched(read);
  assert.ok(unmatched.length === 0, `\n${unmatched.join('\n')}`);
});

test('the servers have logged no error', () => {
  assert.deepEqual(servers.errors(), []);
});

test('all recorded answers are compared, and no two requests have the same name', () => {
  assert.deepEqual(recordedFiles(), RECORDED_GROUPS.map(([group]) => fileOf(group)).toSorted());
  const recorded = RECORDED_GROUPS.flatMap(([group]) =>
    Object.keys(readRecorded(group)).map((key) => `${group}: ${key}`),
  );
  const never = recorded.filter((name) => !compared.has(name));
  assert.ok(never.length === 0, `\nrecorded and not compared:\n${never.join('\n')}`);
  assert.equal(compared.size, requests.length);
  assert.ok(compared.size >= LEAST_REQUESTS, `${compared.size} requests`);
});

test('each route of the server has a recorded request', () => {
  const answered = new Set(requests.map(({ method, path }) => `${method} ${routeOf(path)}`));
  assert.ok(served.length > 0);
  const never = served.filter((route) => !answered.has(route));
  assert.deepEqual(never, []);
});

function routeOf(path: string): string {
  const [before = ''] = path.split('?');
  return before.replace(/^\/model(?=\/)/, '');
}

/** A sentence for each part of the answer that differs from the recorded one. */
function differences(
  request: RecordedRequest,
  recorded: Recorded,
  answer: RecordedAnswer,
): string[] {
  const key = keyOf(request);
  const expected = recorded[key];
  if (expected === undefined) return [`${key}: was never recorded`];
  const [was, is] = [partsOf(expected), partsOf(answer)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((part) => was.get(part) !== is.get(part))
    .map(
      (part) => `${key}: ${part} is ${is.get(part) ?? 'none'}, recorded ${was.get(part) ?? 'none'}`,
    );
}

function partsOf({ headers, ...rest }: RecordedAnswer): ReadonlyMap<string, string> {
  const told = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const others = Object.entries(rest).map(
    ([name, value]) => [`its ${name}`, String(value)] as const,
  );
  return new Map([...others, ...told]);
}
