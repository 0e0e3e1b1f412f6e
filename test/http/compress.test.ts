/** Answers as gzip: the same body, of any kind and length, with another entity tag. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { acceptsGzip } from '../../src/http/accept-encoding.ts';
import { compressing } from '../../src/http/compress.ts';
import { ownVisit } from '../../src/http/visit.ts';
import type { HttpHandler, HttpReply, HttpRequest } from '../../src/http/server.ts';

const JSON_TYPE = { 'content-type': 'application/json', etag: '"a"', vary: 'accept' };

function request(headers: Readonly<Record<string, string>>): HttpRequest {
  return {
    method: 'GET',
    path: '/',
    query: '',
    body: new Uint8Array(),
    signal: new AbortController().signal,
    visit: ownVisit(),
    header: (name) => headers[name] ?? '',
  };
}

async function ask(
  reply: Partial<HttpReply>,
  headers: Readonly<Record<string, string>> = { 'accept-encoding': 'gzip' },
): Promise<HttpReply> {
  const handler: HttpHandler = () => ({ status: 200, headers: JSON_TYPE, body: '', ...reply });
  return await compressing(handler)(request(headers));
}

async function bytesOf({ body }: HttpReply): Promise<Buffer> {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

describe('the header accept-encoding', () => {
  const cases: readonly [string, boolean][] = [
    ['', false],
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.0, *', false],
    ['*', true],
    ['*;q=0', false],
    ['identity', false],
    ['gzip;q=0.2, identity;q=0.9', false],
    ['br, deflate', false],
    ['gzip;q=x', false],
  ];
  for (const [header, expected] of cases) {
    test(`'${header}' ${expected ? 'asks' : 'does not ask'} for gzip`, () => {
      assert.equal(acceptsGzip(header), expected);
    });
  }
});

test('chunks of any sizes are read back unchanged, also when their memory is reused', async () => {
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(200_000)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(255), async (all, seed) => {
      const made = all.map((size, i) => Buffer.alloc(size, `${seed},${i};`));
      const memory = Buffer.alloc(200_000);
      async function* chunks(): AsyncGenerator<Uint8Array> {
        for (const one of made) {
          one.copy(memory);
          yield memory.subarray(0, one.length);
          memory.fill(0);
        }
      }
      const reply = await ask({ body: chunks() });
      assert.equal(reply.headers['content-encoding'], 'gzip');
      assert.ok(gunzipSync(await bytesOf(reply)).equals(Buffer.concat(made)), 'other bytes');
    }),
    { numRuns: 40 },
  );
});

test('only texts of 1 KiB and more are compressed', async () => {
  for (const [length, type, isCompressed] of [
    [1023, 'application/json', false],
    [1024, 'application/json', true],
    [5000, 'text/csv; charset=utf-8', true],
    [5000, 'application/x-ndjson', true],
    [5000, 'application/octet-stream', false],
  ] as const) {
    const body = 'x'.repeat(length);
    const reply = await ask({ body, headers: { 'content-type': type } });
    assert.equal(reply.headers['content-encoding'], isCompressed ? 'gzip' : undefined);
    const bytes = await bytesOf(reply);
    assert.equal((isCompressed ? gunzipSync(bytes) : bytes).toString(), body);
  }
});

test('a compressed answer has its own entity tag, and a client with that tag gets 304', async () => {
  const body = 'x'.repeat(2000);
  const first = await ask({ body });
  assert.deepEqual([first.headers['etag'], first.headers['vary']], ['"a-gzip"', 'accept, accept-encoding']); // prettier-ignore
  const plain = await ask({ body }, {});
  assert.deepEqual([plain.headers['etag'], plain.headers['vary']], ['"a"', 'accept, accept-encoding']); // prettier-ignore
  let seen = '';
  const handler: HttpHandler = (request) => {
    seen = request.header('if-none-match');
    return { status: 304, headers: JSON_TYPE, body: '' };
  };
  const headers = { 'accept-encoding': 'gzip', 'if-none-match': '"b", "a-gzip"' };
  const again = await compressing(handler)(request(headers));
  assert.deepEqual([seen, again.headers['etag']], ['"b", "a"', '"a-gzip"']);
});

for (const read of [0, 1, 3]) {
  test(`a reader that leaves after ${read} chunks ends the body`, async () => {
    let returned = 0;
    const chunks = {
      next: () =>
        Promise.resolve({ done: false as const, value: Buffer.alloc(1 << 20, `${Math.random()}`) }),
      return: () => Promise.resolve({ done: true as const, value: returned++ }),
    };
    const { body } = await ask({ body: { [Symbol.asyncIterator]: () => chunks } });
    assert.ok(typeof body === 'object' && Symbol.asyncIterator in body, 'chunks');
    const iterator = body[Symbol.asyncIterator]();
    for (let i = 0; i < read; i++) await iterator.next();
    await iterator.return?.();
    assert.equal(returned, 1);
  });
}

test('the error of a failing body is passed on unchanged', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(100_000);
    await Promise.resolve();
    throw new Error('torn');
  }
  await assert.rejects(async () => bytesOf(await ask({ body: chunks() })), /torn/);
});

describe('cached answers', () => {
  const TEXT = Buffer.from('a cached answer, '.repeat(1000));
  const GZIP = { 'accept-encoding': 'gzip' };

  function keeping(reply: HttpReply): { ask: typeof handler; kept: Map<Uint8Array, Uint8Array> } {
    const kept = new Map<Uint8Array, Uint8Array>();
    const handler = compressing(() => reply, kept);
    return { ask: handler, kept };
  }

  test('are compressed once, and then sent without waiting, with the same headers', async () => {
    const reply = { status: 200, headers: Object.freeze({ ...JSON_TYPE }), body: TEXT };
    const { ask: asked, kept } = keeping(reply);
    const first = await asked(request(GZIP));
    assert.equal(kept.size, 1);
    const second = asked(request(GZIP));
    assert.ok(!(second instanceof Promise), 'it was waited for');
    assert.equal(second.body, kept.get(TEXT));
    assert.deepEqual(second.headers, first.headers);
    assert.equal(second.headers['etag'], '"a-gzip"');
    assert.deepEqual(gunzipSync(await bytesOf(second)), TEXT);
    const plain = await asked(request({}));
    assert.equal(plain.body, TEXT);
    assert.equal(plain.headers['content-encoding'], undefined);
  });

  test('others, whose headers are not frozen, are not kept', async () => {
    const { ask: asked, kept } = keeping({ status: 200, headers: JSON_TYPE, body: TEXT });
    await asked(request(GZIP));
    assert.equal(kept.size, 0);
  });

  test('a client that has the compressed bytes gets 304', async () => {
    const headers = Object.freeze({ ...JSON_TYPE });
    const handler = compressing(
      (one) =>
        one.header('if-none-match') === '"a"'
          ? { status: 304, headers, body: '' }
          : { status: 200, headers, body: TEXT },
      new Map(),
    );
    await handler(request(GZIP));
    const reply = await handler(request({ ...GZIP, 'if-none-match': '"a-gzip"' }));
    assert.equal(reply.status, 304);
    assert.equal(reply.headers['etag'], '"a-gzip"');
  });
});
