/**
 * A metrics store that does what a script says: a real HTTP server on a loopback port. The first
 * request gets the first reply, and so on; the last reply is given again to all that follow.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type Reply = (response: ServerResponse, request: SeenRequest) => unknown;

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly atMs: number;
}

export interface ScriptedStore {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Requests that are being answered now. */
  readonly atOnce: number;
  /** Most requests that were being answered at once. */
  readonly mostAtOnce: number;
  /** Resolves when that many requests came. */
  asked(count: number): Promise<void>;
  /** Resolves when no connection is open; the test's own time limit is the deadline. */
  allClosed(): Promise<void>;
  stop(): Promise<void>;
}

export async function startScriptedStore(...script: Reply[]): Promise<ScriptedStore> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let atOnce = 0;
  let mostAtOnce = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    response.on('close', () => atOnce--);
    const { method = '', url: path = '', headers } = request;
    const reply = script[Math.min(requests.length, script.length - 1)];
    const parts: Buffer[] = [];
    const seen = { method, path, headers, body: Buffer.alloc(0), atMs: performance.now() };
    requests.push(seen);
    for await (const part of request) parts.push(part as Buffer);
    seen.body = Buffer.concat(parts);
    await reply?.(response, seen);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get atOnce() {
      return atOnce;
    },
    get mostAtOnce() {
      return mostAtOnce;
    },
    asked: async (count) => {
      while (requests.length < count) await sleep(2);
    },
    allClosed: async () => {
      while (sockets.size > 0) await sleep(2);
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
}

const STREAM = 'application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse';

/** Status 200 and the streamed type; `parts` follow one by one. */
export function streaming(...parts: readonly Uint8Array[]): Reply {
  return async (response) => {
    response.writeHead(200, { 'Content-Type': STREAM });
    for (const part of parts) await write(response, part);
    response.end();
  };
}

/** As `streaming`, but the connection breaks off after the last part. */
export function cutting(...parts: readonly Uint8Array[]): Reply {
  return async (response) => {
    response.writeHead(200, { 'Content-Type': STREAM });
    response.flushHeaders();
    for (const part of parts) await write(response, part);
    await sleep(20);
    response.destroy();
  };
}

/** As `streaming`, but nothing comes after the last part, nor an end. */
export function hanging(...parts: readonly Uint8Array[]): Reply {
  return async (response) => {
    response.writeHead(200, { 'Content-Type': STREAM });
    response.flushHeaders();
    for (const part of parts) await write(response, part);
  };
}

/** `part` again and again, a pause of `everyMs` between, until the reader goes away. */
export function dripping(part: Uint8Array, everyMs: number, status = 200): Reply {
  return async (response) => {
    response.writeHead(status, { 'Content-Type': STREAM });
    while (!response.destroyed) {
      await write(response, part);
      await sleep(everyMs);
    }
  };
}

export function answering(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => response.writeHead(status, headers).end(text);
}

/** Bytes that are not HTTP. */
export function babbling(text: string): Reply {
  return (response) => response.socket?.end(text);
}

/** Waits until the socket took it or is gone. */
function write(response: ServerResponse, part: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (response.write(part) || response.destroyed) return resolve();
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
