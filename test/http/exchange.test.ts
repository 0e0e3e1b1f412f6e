import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Exchange } from '../../src/http/exchange.ts';
import type { ReplyHead } from '../../src/http/reply-head.ts';
import { bytes, stream } from '../../src/http/reply.ts';
import type { HttpHandler, HttpReply } from '../../src/http/server.ts';
import { createSite, type Site } from '../../src/http/site.ts';
import type { Taken, Wire } from '../../src/http/wire.ts';

/** A wire whose reader takes a chunk when the test says so. */
class HeldWire implements Wire {
  readonly events: string[] = [];
  keptWaiting: number = 0;
  #take: (() => void) | undefined;

  whole(head: ReplyHead): Taken {
    this.events.push(`whole ${head.status}`);
    return this.#held();
  }
  begin(head: ReplyHead): Taken {
    this.events.push(`begin ${head.status}`);
    return undefined;
  }
  write(chunk: Uint8Array): Taken {
    this.events.push(`write ${Buffer.from(chunk).toString()}`);
    return this.#held();
  }
  end(): void {
    this.events.push('end');
  }
  keepWaiting(): void {
    this.keptWaiting++;
  }
  cut(): void {
    this.events.push('cut');
  }
  peer(): string {
    return '127.0.0.1';
  }
  async take(): Promise<void> {
    this.#take?.();
    await settled();
  }
  #held(): Promise<void> {
    return new Promise((resolve) => (this.#take = resolve));
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => resolve()));
}

/** Seconds from now, as the limits' timer would see them. */
function later(seconds: number): number {
  return performance.now() + seconds * 1000;
}

async function started(handler: HttpHandler): Promise<[Exchange, HeldWire, Site]> {
  const wire = new HeldWire();
  const site = createSite(handler, { log: (message) => wire.events.push(message) });
  const head = {
    method: 'GET',
    path: '/',
    query: '',
    headers: new Map(),
    repeated: new Set<string>(),
  };
  const exchange = new Exchange(site, wire, head);
  exchange.start();
  await settled();
  return [exchange, wire, site];
}

test('the next chunk is requested when the last was taken, not before', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    yield Buffer.from('b');
  }
  const [, wire] = await started(() => stream('a/b', chunks()));
  assert.deepEqual(wire.events, ['begin 200', 'write a']);
  await wire.take();
  assert.deepEqual(wire.events.slice(2), ['write b']);
  await wire.take();
  assert.deepEqual(wire.events.slice(3), ['end']);
});

test('a reader is cut off 30 s after it last took something, not earlier', async () => {
  for (const reply of [bytes('a/b', 'abc'), stream('a/b', endless())]) {
    const [exchange, wire] = await started(() => reply);
    exchange.check(later(29));
    assert.ok(!wire.events.includes('cut'), wire.events.join());
    exchange.progressed();
    exchange.check(later(29));
    assert.ok(!wire.events.includes('cut'), wire.events.join());
    exchange.check(later(31));
    assert.ok(wire.events.includes('cut'), wire.events.join());
  }
});

test('a wire is told to keep waiting for its reader, until the reader is cut off', async () => {
  for (const reply of [bytes('a/b', 'abc'), stream('a/b', endless())]) {
    const [exchange, wire] = await started(() => reply);
    exchange.check(later(1));
    exchange.check(later(29));
    assert.equal(wire.keptWaiting, 2);
    exchange.check(later(31));
    assert.equal(wire.keptWaiting, 2);
    assert.ok(wire.events.includes('cut'), wire.events.join());
  }
});

test('a reader is not cut off while its next chunk is being made', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    await new Promise(() => undefined);
  }
  const [exchange, wire] = await started(() => stream('a/b', chunks()));
  await wire.take();
  exchange.progressed();
  exchange.check(later(1000));
  assert.deepEqual(wire.events, ['begin 200', 'write a']);
});

test('an answer that exceeds its time is 503, and later chunks are dropped', async () => {
  const gate: { open?: (reply: HttpReply) => void } = {};
  const [exchange, wire] = await started(() => new Promise((resolve) => (gate.open = resolve)));
  exchange.check(later(299));
  assert.deepEqual(wire.events, []);
  exchange.check(later(301));
  let returned = 0;
  const late: AsyncIterator<Uint8Array> = {
    next: () => assert.fail('a chunk is requested'),
    return: () => Promise.resolve({ done: true, value: returned++ }),
  };
  gate.open?.(stream('a/b', { [Symbol.asyncIterator]: () => late }));
  await settled();
  assert.deepEqual(wire.events, ['whole 503']);
  assert.equal(returned, 1);
});

test('the first chunk counts as part of the answer, and its maker is stopped', async () => {
  let returned = 0;
  const stuck: AsyncIterator<Uint8Array> = {
    next: () => new Promise(() => undefined),
    return: () => Promise.resolve({ done: true, value: returned++ }),
  };
  const reply = stream('a/b', { [Symbol.asyncIterator]: () => stuck });
  const [exchange, wire] = await started(() => reply);
  exchange.check(later(301));
  assert.deepEqual(wire.events, ['whole 503']);
  assert.equal(returned, 1);
});

test('an error while cleaning up is logged and has no other effect', async () => {
  const torn: AsyncIterator<Uint8Array> = {
    next: () => Promise.resolve({ done: false, value: Buffer.from('a') }),
    return: () => Promise.reject(new Error('torn')),
  };
  const [exchange, wire] = await started(() =>
    stream('a/b', { [Symbol.asyncIterator]: () => torn }),
  );
  exchange.gone();
  await settled();
  assert.deepEqual(wire.events.slice(2), ['cleaning up after an answer failed']);
});

test('shutdown waits for open exchanges, then cuts off the rest', async () => {
  const [, wire, site] = await started(() => bytes('a/b', 'abc'));
  let isDrained = false;
  const drained = site.watch.drain(60_000).then(() => (isDrained = true));
  await settled();
  assert.equal(isDrained, false);
  await wire.take();
  await drained;
  assert.deepEqual(wire.events, ['whole 200']);

  const [, stuck, other] = await started(() => bytes('a/b', 'abc'));
  await other.watch.drain(1);
  assert.deepEqual(stuck.events, ['whole 200', 'cut']);
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) yield Buffer.from('a');
}
