/** What the harness makes of replies, sent byte by byte by a server that does nothing else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { BodyWriter } from '../../../scripts/torture/bodies.ts';
import { STEADY, type Reading } from '../../../scripts/torture/client.ts';
import {
  examine,
  type Outcome,
  type Question,
  type Verdict,
} from '../../../scripts/torture/judge.ts';

/** Longer than two blocks that are compared at once. */
const BODY: Buffer = Buffer.from(
  Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join(''),
  'latin1',
);
const OK = 'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n';
const JSON_HEAD = 'content-type: application/json\r\n';
const LENGTH = `content-length: ${BODY.length}\r\n\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';

function chunk(part: Uint8Array, size: number = part.length): Buffer {
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
}

/** In chunks of a length that is no block's. */
function chunks(body: Uint8Array): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += 70_001)
    parts.push(chunk(body.subarray(at, at + 70_001)));
  return Buffer.concat(parts);
}

function reply(...parts: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
}

function changed(at: number): Buffer {
  const body = Buffer.from(BODY);
  body[at] = (body[at] ?? 0) ^ 1;
  return body;
}

const END = '0\r\n\r\n';
const ZIPPED = gzipSync(BODY);
const GZIP = 'content-encoding: gzip\r\n';
const form = (code: number): string => JSON.stringify({ code, message: 'no', data: null });
const refusal = (status: number, text: string): Buffer =>
  reply(`HTTP/1.1 ${status} No\r\n${JSON_HEAD}content-length: ${text.length}\r\n\r\n`, text);

const CASES: readonly (readonly [name: string, sent: Buffer, Verdict, detail: RegExp])[] = [
  ['a whole body by its length', reply(OK, LENGTH, BODY), 'equal', /^$/],
  ['a whole body in chunks', reply(OK, CHUNKED, chunks(BODY), END), 'equal', /^$/],
  ['a whole body compressed', reply(OK, GZIP, CHUNKED, chunks(ZIPPED), END), 'equal', /^$/],
  ['another first byte', reply(OK, LENGTH, changed(0)), 'wrong', /differs at 0\n/],
  ['another byte far on', reply(OK, LENGTH, changed(200_000)), 'wrong', /differs at 200000\n/],
  ['another last byte', reply(OK, LENGTH, changed(BODY.length - 1)), 'wrong', /differs at 318889\n/],
  [
    'a body that ends too early as if it were whole',
    reply(OK, CHUNKED, chunk(BODY.subarray(0, 100_000)), END),
    'wrong',
    /100000 bytes of 318890, differs at 100000\n.*the end/,
  ],
  [
    'a body that goes on after its end',
    reply(OK, CHUNKED, chunks(BODY), chunk(Buffer.from('more')), END),
    'wrong',
    /318894 bytes of 318890, differs at 318890/,
  ],
  ['a body cut before its length', reply(OK, LENGTH, BODY.subarray(0, 5)), 'cut', /after 5 bytes/],
  ['chunks without an end', reply(OK, CHUNKED, chunks(BODY)), 'cut', /after 318890 bytes/],
  ['a wrong byte before a cut', reply(OK, CHUNKED, chunks(changed(7))), 'wrong', /and cut.*at 7\n/],
  [
    'compressed bytes that are short',
    reply(OK, GZIP, CHUNKED, chunk(ZIPPED.subarray(0, -20)), END),
    'cut',
    /unexpected end of file/,
  ],
  [
    'a chunk shorter than it says',
    reply(OK, CHUNKED, chunk(BODY.subarray(0, 10), 11), chunk(BODY.subarray(10)), END),
    'wrong',
    /malformed: after-data of a chunk/,
  ],
  ['a size that is no number', reply(OK, CHUNKED, 'x\r\n'), 'wrong', /malformed: the size of a chunk/],
  ['bytes after the end', reply(OK, LENGTH, BODY, 'x'), 'wrong', /malformed: 1 bytes after the end/],
  ['two ways to tell the length', reply(OK, 'transfer-encoding: chunked\r\n', LENGTH), 'wrong', /malformed/],
  ['another type', reply('HTTP/1.1 200 OK\r\n', JSON_HEAD, LENGTH, BODY), 'wrong', /content-type/],
  ['nothing at all', Buffer.alloc(0), 'cut', /the connection ended/],
  ['a refusal', refusal(422, form(422)), 'refused', /^422/],
  ['a refusal for a while', refusal(503, form(503)), 'refused', /^503/],
  ['a refusal in another form', refusal(503, '{}'), 'wrong', /^503/],
  ['a refusal that says another status', refusal(503, form(422)), 'wrong', /^503/],
  ['an internal error', refusal(500, form(500)), 'wrong', /^500/],
]; // prettier-ignore

const folder = mkdtempSync(join(tmpdir(), 'prorata-judge-'));
let server: Server;
let origin: string;
let question: Question;
/** To a second request on the same connection, which otherwise ends after the first. */
let nextReply: Buffer | undefined;

before(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (part) => {
      const place = Number(/^GET \/(\d+) /.exec(part.toString('latin1'))?.[1]);
      const sent = CASES[place]?.[1] ?? '';
      const next = nextReply;
      if (next === undefined) return void socket.end(sent);
      socket.once('data', () => socket.end(next));
      socket.write(sent);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const writer = new BodyWriter(folder, 'body');
  writer.add(BODY);
  question = { path: '', contentType: 'text/plain', body: writer.end() };
});

after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

for (const [place, [name, , verdict, detail]] of CASES.entries()) {
  test(`${name} is ${verdict}`, async () => {
    const how = { acceptsGzip: name.includes('compressed'), reading: STEADY };
    const outcome = await examine(origin, { ...question, path: `/${place}` }, how);
    assert.equal(outcome.verdict, verdict, outcome.detail);
    assert.match(outcome.detail, detail);
  });
}

test('what comes after an answer must be the next one', async () => {
  const ask = async (): Promise<Outcome> => {
    const how = { acceptsGzip: false, reading: STEADY, goesOn: true };
    return await examine(origin, { ...question, path: '/0' }, how);
  };
  assert.equal((await ask()).verdict, 'equal', 'the connection ended after a whole answer');
  nextReply = reply(OK, 'content-length: 0\r\n\r\n');
  assert.equal((await ask()).verdict, 'equal');
  nextReply = reply('x', OK, 'content-length: 0\r\n\r\n');
  const { verdict, detail } = await ask();
  assert.equal(verdict, 'wrong');
  assert.match(detail, /malformed: the next reply: the status line/);
  nextReply = undefined;
});

test('a reader that goes is told from one that is cut off', async () => {
  const reading: Reading = { kind: 'vanishing', pauses: [], leavesAfterBytes: 1000 };
  const how = { acceptsGzip: false, reading };
  const { verdict } = await examine(origin, { ...question, path: '/0' }, how);
  assert.equal(verdict, 'left');
});

test('a reader that pauses gets the same', async () => {
  const reading: Reading = { kind: 'pausing', pauses: [{ afterBytes: 1, ms: 50 }] };
  const { verdict } = await examine(
    origin,
    { ...question, path: '/1' },
    { acceptsGzip: false, reading },
  );
  assert.equal(verdict, 'equal');
});
