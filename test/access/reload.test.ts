/** Tokens of a file that changes while the server runs, and of one that is broken from the start. */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { digestOf, identifyByTokens } from '../../src/access/tokens.ts';
import { ownVisit, type Caller, type HttpRequest, type Identified } from '../../src/http/index.ts';
import { startOwnServer } from '../support/servers/own-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'prorata-tokens-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const line = (token: string, more = ''): string =>
  `- {name: of-${token}, sha256: ${digestOf(token).toString('hex')}, roles: [viewer]${more}}\n`;

function request(token: string): HttpRequest {
  return {
    method: 'GET',
    path: '/',
    query: '',
    body: new Uint8Array(0),
    signal: AbortSignal.any([]),
    visit: ownVisit(),
    header: (name) => (name === 'authorization' ? `Bearer ${token}` : ''),
  };
}

const isKnown = (who: Identified | Promise<Identified>): who is Caller => 'roles' in who;

test('a file that changes is read again; a broken one changes nothing and is told once', async (t) => {
  t.mock.timers.enable({ apis: ['Date'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const path = join(folder, 'changing.yaml');
  writeFileSync(path, line('one'));
  const [read, broken]: [string[], string[]] = [[], []];
  const identify = identifyByTokens({
    path,
    nowMs: Date.now,
    checkFilter: () => undefined,
    onRead: (sentence) => read.push(sentence),
    onBroken: (sentence) => broken.push(sentence),
  });
  const known = (): string[] =>
    ['one', 'two', 'three'].filter((token) => {
      now += 1001;
      return isKnown(identify(request(token)));
    });
  assert.deepEqual(known(), ['one']);
  writeFileSync(path, `${line('one')}${line('two')}`);
  assert.deepEqual(known(), ['one', 'two']);
  writeFileSync(path, '- {name: x}');
  assert.deepEqual(known(), ['one', 'two']);
  assert.equal(broken.length, 1);
  assert.match(broken[0] ?? '', /line 1: a token without sha256.*the 2 tokens .* stay/);
  unlinkSync(path);
  assert.deepEqual(known(), ['one', 'two']);
  assert.match(broken[1] ?? '', /cannot read the tokens: ENOENT/);
  // As Kubernetes changes a secret that is mounted: a link is put in the place of another.
  const other = join(folder, 'other.yaml');
  writeFileSync(other, line('three'));
  symlinkSync(other, `${path}.new`);
  renameSync(`${path}.new`, path);
  assert.deepEqual(known(), ['three']);
  writeFileSync(other, '[]');
  assert.deepEqual(known(), []);
  assert.equal(read.length, 3);
  assert.ok(!JSON.stringify([read, broken]).includes(digestOf('one').toString('hex')));
});

test('a token ends when it says so', () => {
  const path = join(folder, 'ending.yaml');
  writeFileSync(path, line('one', ', expires: 2026-01-01T00:00:00Z'));
  const clock = { nowMs: Date.UTC(2026, 0) - 1 };
  const identify = identifyByTokens({
    path,
    nowMs: () => clock.nowMs,
    checkFilter: () => undefined,
    onRead: assert.fail,
    onBroken: assert.fail,
  });
  assert.ok(isKnown(identify(request('one'))), 'it counts to its last millisecond');
  clock.nowMs++;
  const late = identify(request('one'));
  assert.ok(!(late instanceof Promise) && 'why' in late);
  assert.match(late.why, /the token of of-one has expired/);
});

const BROKEN: readonly (readonly [flags: readonly string[], text: string, message: RegExp])[] = [
  [['--auth=tokens'], '', /--auth tokens needs a file of tokens/],
  [['--auth=tokens', '--tokens=/none/t.yaml'], '', /cannot read the tokens: ENOENT/],
  [
    ['--auth=tokens', `--tokens=${join(folder, 'broken.yaml')}`],
    '- name: ci\n  sha256: 5\n',
    /broken\.yaml, line 2: sha256 is not/,
  ],
];

for (const [flags, text, message] of BROKEN)
  test(`a server with ${flags.join(' ')} does not start, and says why: ${message.source}`, async () => {
    writeFileSync(join(folder, 'broken.yaml'), text);
    await assert.rejects(startOwnServer(['--demo=true', '--workers=1', ...flags]), message);
  });

test('with --auth an address that others reach needs no word', async () => {
  const path = join(folder, 'bound.yaml');
  writeFileSync(path, line('one'));
  const flags = ['--demo=true', '--workers=1', '--host=0.0.0.0'];
  await assert.rejects(startOwnServer(flags), /reached by others than this machine.*sign in/);
  const server = await startOwnServer([...flags, '--auth=tokens', `--tokens=${path}`]);
  try {
    const port = new URL(server.url).port;
    const reply = await fetch(`http://127.0.0.1:${port}/version`);
    assert.equal(reply.status, 401);
    await reply.arrayBuffer();
  } finally {
    await server.stop();
  }
});
