/** The front end over node:http: for platforms without a native build, or for its strict parser. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Unavailable } from '../../query/index.ts';
import { Exchange } from '../exchange.ts';
import { KEEP_ALIVE, type ReplyHead } from '../reply-head.ts';
import { HEAD_BYTES_READ, readHeaders, type RequestHead } from '../request-head.ts';
import type { FrontEnd, HttpServer, TlsFiles } from '../server.ts';
import { checkIntervalMs, createSite, type Site } from '../site.ts';
import type { Taken, Wire } from '../wire.ts';

/** A reader's progress is seen at the end of each slice. */
const SLICE_BYTES = 128 * 1024;

const ENGINE = {
  maxHeaderSize: HEAD_BYTES_READ,
  keepAliveTimeout: 10_000,
  headersTimeout: 10_000,
  // The exchange limits the time of bodies.
  requestTimeout: 0,
  requireHostHeader: false,
  connectionsCheckingInterval: 4000,
};

const HANDSHAKE = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;

function pairOf({ certFile, keyFile }: TlsFiles): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile) };
}

export const nodeFrontEnd: FrontEnd = (handler, options = {}) => {
  const site = createSite(handler, options);
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    accept(site, request, response);
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(ENGINE, answer)
      : createSecureServer({ ...ENGINE, ...HANDSHAKE, ...pairOf(tls) }, answer);
  // The engine would drop headers beyond its count; the head's bytes are bounded anyway.
  server.maxHeadersCount = 0;
  return new NodeServer(server, site);
};

type AnyServer = ReturnType<typeof createServer> | SecureServer;

class NodeServer implements HttpServer {
  readonly #server: AnyServer;
  readonly #site: Site;

  constructor(server: AnyServer, site: Site) {
    this.#server = server;
    this.#site = site;
  }

  async listen(host: string, port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => reject(cannotListen(host, port, cause)));
      this.#server.listen({ host, port }, resolve);
    });
    this.#server.on('error', (error) => this.#site.log('the listening socket failed', error));
    this.#site.watch.start(checkIntervalMs(this.#site.limits));
    return (this.#server.address() as AddressInfo).port;
  }

  renew(tls: TlsFiles): void {
    if (!(this.#server instanceof SecureServer)) throw new Error('BUG: no TLS is served');
    this.#server.setSecureContext({ ...HANDSHAKE, ...pairOf(tls) });
  }

  async close(graceMs: number): Promise<number> {
    if (!this.#server.listening) return 0;
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    const cut = await this.#site.watch.drain(graceMs);
    this.#server.closeAllConnections();
    await closed;
    return cut;
  }
}

function cannotListen(host: string, port: number, cause: Error): Unavailable {
  const message = `cannot listen on ${host}:${port}: it is taken or not ours to use`;
  return new Unavailable(message, { hint: 'choose another with --port', cause });
}

function accept(site: Site, request: IncomingMessage, response: ServerResponse): void {
  // The parser continues with a packet after its first request was answered by closing.
  if (request.socket.destroyed) return;
  const wire = new NodeWire(response);
  try {
    const head = readHead(request);
    if (head === undefined) {
      site.observer.refused();
      return wire.cut();
    }
    const exchange = new Exchange(site, wire, head);
    wire.progressed = () => exchange.progressed();
    response.on('close', () => {
      wire.closed();
      if (!response.writableFinished) exchange.gone();
    });
    request.on('data', (part: Uint8Array) => exchange.takeBody(part, false));
    request.on('end', () => exchange.takeBody(new Uint8Array(0), true));
    exchange.start();
  } catch (error) {
    site.log('a request could not be taken', error);
    wire.cut();
  }
}

function readHead(request: IncomingMessage): RequestHead | undefined {
  const fields = readHeaders(request.rawHeaders);
  if (fields === undefined) return undefined;
  // The engine takes a line without version for HTTP/0.9. If it handled that itself, it would answer a
  // missing Host and still run the rest of the packet.
  if (request.httpVersion !== '1.0' && request.httpVersion !== '1.1') return undefined;
  if (request.httpVersion === '1.1' && !fields.headers.has('host')) return undefined;
  // The engine reads bytes as Latin-1.
  const url = Buffer.from(request.url ?? '', 'latin1').toString();
  const mark = url.indexOf('?');
  return {
    method: request.method ?? '',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    ...fields,
  };
}

class NodeWire implements Wire {
  progressed: () => void = () => undefined;
  readonly #response: ServerResponse;
  #taken: (() => void) | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    // Without a listener an error would end the process; 'close' follows and tells the exchange.
    response.on('error', () => undefined);
  }

  whole(head: ReplyHead, body: Uint8Array | undefined, lengthBytes?: number): Taken {
    const length = lengthBytes === undefined ? {} : { 'content-length': lengthBytes };
    this.#writeHead(head, length);
    if (body === undefined || body.length <= SLICE_BYTES) return this.#finish(body);
    return this.#slices(body).then(() => this.#finish(undefined));
  }

  begin(head: ReplyHead): Taken {
    this.#writeHead(head, {});
    return undefined;
  }

  write(chunk: Uint8Array): Taken {
    return this.#slices(chunk);
  }

  end(): void {
    this.#response.end();
  }

  /** The engine has no timeout of its own. */
  keepWaiting(): void {}

  cut(): void {
    this.#response.socket?.destroy();
  }

  peer(): string {
    return this.#response.socket?.remoteAddress ?? '';
  }

  /** Without a client there is nothing to call back. */
  closed(): void {
    this.#taken?.();
  }

  #writeHead(head: ReplyHead, length: Readonly<Record<string, number>>): void {
    const kept = head.close ? { connection: 'close' } : { 'keep-alive': KEEP_ALIVE };
    this.#response.writeHead(head.status, {
      'x-request-id': head.requestId,
      ...Object.fromEntries(head.headers),
      ...length,
      ...kept,
    });
  }

  #finish(body: Uint8Array | undefined): Promise<void> {
    return this.#untilCalled((taken) => void this.#response.end(body, taken));
  }

  /** The engine does not copy: it uses a slice's memory until it calls back. */
  async #slices(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#response.closed; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      await this.#untilCalled((taken) => void this.#response.write(slice, taken));
      this.progressed();
    }
  }

  #untilCalled(send: (taken: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      if (this.#response.closed) resolve();
      this.#taken = resolve;
      send(() => resolve());
    });
  }
}
