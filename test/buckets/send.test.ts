/** Requests to clouds over real sockets. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { send, type Call, type Received } from '../../src/buckets/send.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

let answering: Answering;
let origin: string;
const sockets = new Set<Socket>();
const server = createServer((request, response) => answering(request, response));
server.on('connection', (socket: Socket) => sockets.add(socket));
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => sockets.clear());
after(() => {
  server.close();
  server.closeAllConnections();
});

const NEVER = new AbortController().signal;

function ask(
  { method = 'GET', headers = {}, ...rest }: Partial<Call> = {},
  signal: AbortSignal = NEVER,
  timeoutMs: number = 5000,
): Promise<Received> {
  return send({ method, url: new URL('/a?b=c', origin), headers, ...rest }, signal, timeoutMs);
}

const WORDS = 'costs of a day, '.repeat(1000);

test('a request has its method, target, headers and body, and its length', async () => {
  answering = (request, response) => {
    const { method, url, headers } = request;
    void text(request).then((body) => {
      response.end(
        JSON.stringify([method, url, headers['x-own'], headers['content-length'], body]),
      );
    });
  };
  const body = Buffer.from('größe');
  const received = await ask({ method: 'PUT', headers: { 'x-own': '1' }, body });
  assert.equal(await text(received.body), '["PUT","/a?b=c","1","7","größe"]');
  const asText = await ask({ method: 'POST', body: 'größe' });
  assert.equal(await text(asText.body), '["POST","/a?b=c",null,"7","größe"]');
});

const CODINGS: readonly (readonly [coding: string, pack: (words: string) => Uint8Array])[] = [
  ['identity', (words) => Buffer.from(words)],
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
];
for (const [coding, pack] of CODINGS) {
  test(`a body that came as ${coding} is read as it was packed`, async () => {
    answering = (_, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(pack(WORDS));
    };
    const received = await ask();
    assert.equal(received.headers.get('content-encoding'), coding);
    assert.equal(await text(received.body), WORDS);
  });
}

test('a part of a packed object is read as it is stored', async () => {
  const packed = gzipSync(WORDS).subarray(3, 40);
  answering = (_, response) => {
    response.writeHead(206, { 'content-encoding': 'gzip' }).end(packed);
  };
  const { body } = await ask();
  assert.deepEqual(Buffer.concat(await body.toArray()), packed);
});

test('a redirect is an answer, and is not followed', async () => {
  let asked = 0;
  answering = (_, response) => {
    asked++;
    response.writeHead(307, { location: `${origin}/elsewhere` }).end();
  };
  const received = await ask();
  assert.deepEqual([received.status, received.isOk, asked], [307, false, 1]);
  assert.equal(received.headers.get('location'), `${origin}/elsewhere`);
  assert.equal(received.headers.get('absent'), null);
  received.leave();
});

test('connections are used again, after heads without bodies, too', async () => {
  answering = (_, response) => void response.writeHead(200, { 'content-length': 4 }).end('word');
  for (let times = 0; times < 5; times++) {
    assert.equal(await text((await ask()).body), 'word');
    assert.equal((await ask({ method: 'HEAD' })).headers.get('content-length'), '4');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(sockets.size, 1);
});

test('what is aborted ends with the reason, before the head and within the body', async () => {
  const why = new Error('nobody waits any more');
  answering = () => undefined;
  const before = new AbortController();
  const asked = ask({}, before.signal);
  setTimeout(() => before.abort(why), 20);
  await assert.rejects(asked, why);
  await assert.rejects(ask({}, before.signal), why);
  answering = (_, response) => void response.writeHead(200, { 'content-length': 99 }).write('be');
  const within = new AbortController();
  const { body } = await ask({}, within.signal);
  setTimeout(() => within.abort(why), 20);
  await assert.rejects(text(body), why);
  // Nobody reads it, and nothing fails that nobody hears of.
  const unread = new AbortController();
  await ask({}, unread.signal);
  unread.abort(why);
  await new Promise((resolve) => setTimeout(resolve, 20));
});

test('many requests of one signal are no leak', async (t) => {
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  t.after(() => process.off('warning', hear));
  answering = (_, response) => void response.end('word');
  const { signal } = new AbortController();
  const asked = Array.from({ length: 40 }, async () => await text((await ask({}, signal)).body));
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(['word']));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(warnings, []);
});

test('a head that does not come in time is an error, and a body may take longer', async () => {
  answering = () => undefined;
  await assert.rejects(ask({}, NEVER, 30), /^Error: no answer within 0\.03 s$/);
  answering = (_, response) => {
    response.writeHead(200).write('slow');
    setTimeout(() => response.end('ly'), 200);
  };
  assert.equal(await text((await ask({}, NEVER, 100)).body), 'slowly');
});

const CUT: readonly (readonly [name: string, headers: Record<string, string | number>])[] = [
  ['of a known length', { 'content-length': 100 }],
  ['in chunks', {}],
  ['that is packed', { 'content-encoding': 'gzip' }],
];
for (const [name, headers] of CUT) {
  test(`a body ${name} that is cut off is an error`, async () => {
    answering = (_, response) => {
      const part = 'content-encoding' in headers ? gzipSync(WORDS).subarray(0, 40) : 'cut';
      response.writeHead(200, headers).write(part, () => response.destroy());
    };
    const received = await ask().catch((error: unknown) => error as Error);
    if (received instanceof Error) assert.match(received.message, /hang up|reset/);
    else await assert.rejects(text(received.body), /aborted/);
  });
}

test('who leaves a long body does not read it', async () => {
  let sent = 0;
  answering = (_, response) => {
    const write = (): void => {
      if (response.destroyed) return;
      sent += 65536;
      if (response.write(Buffer.alloc(65536))) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  };
  const received = await ask();
  received.leave();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const seen = sent;
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(sent, seen);
});

test('nobody listens: the error says so', async () => {
  const url = new URL('http://127.0.0.1:1/');
  await assert.rejects(ask({ url }), /ECONNREFUSED/);
});
