/**
 * The front end over uWebSockets.js. What it must not be trusted with is told where it is handled;
 * one thing cannot be: it ends its list of headers at an empty name and does not see those after.
 */
import { STATUS_CODES } from 'node:http';
import './uws-head-limit.ts';
// oxlint-disable-next-line import/no-namespace -- the types lack two of its exports
import * as engine from 'uWebSockets.js';
import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket,
} from 'uWebSockets.js';
import { Unavailable } from '../query/index.ts';
import { Exchange } from './exchange.ts';
import type { ReplyHead } from './reply-head.ts';
import { readHeaders, type RequestHead } from './request-head.ts';
import type { FrontEnd, HttpServer } from './server.ts';
import { checkIntervalMs, createSite, type Site } from './site.ts';
import type { Taken, Wire, WireEvents } from './wire.ts';

/** What the package exports and its types leave out. */
interface Untyped {
  _cfg(option: 'silent'): void;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

interface ExclusiveListen {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ): void;
}

const untyped: Untyped = engine as unknown as Untyped;

/** Longer bodies are kept here until the socket takes them, shorter ones copied by the engine. */
const COPIED_BYTES = 16 * 1024;
/** As much as one stalled reader holds of the engine's memory, beside a long chunk. */
const SLICE_BYTES = 32 * 1024;
/**
 * Makers give long chunks to fast readers: those are one slice. Each has a frame, which goes out by
 * itself, and a packet of a few bytes costs as much as one of 20 KB.
 */
const LONG_BYTES = 512 * 1024;
/** Tells whether the socket took what was left, without adding much when it did not. */
const PROBE_BYTES = 1024;

export const uwsFrontEnd: FrontEnd = (handler, options = {}) => {
  untyped._cfg('silent');
  const site = createSite(handler, options);
  const app = engine.App().any('/*', (response, request) => accept(site, response, request));
  return new UwsServer(app, site);
};

class UwsServer implements HttpServer {
  readonly #app: TemplatedApp;
  readonly #site: Site;
  #socket: us_listen_socket | undefined;

  constructor(app: TemplatedApp, site: Site) {
    this.#app = app;
    this.#site = site;
  }

  async listen(host: string, port: number): Promise<number> {
    const app = this.#app as unknown as ExclusiveListen;
    // Without the flag a second process would share the port in silence.
    const exclusive = untyped.LIBUS_LISTEN_EXCLUSIVE_PORT;
    const socket = await new Promise<us_listen_socket | false>((resolve) => {
      app.listen(host, port, exclusive, resolve);
    });
    if (socket === false) {
      throw new Unavailable(`cannot listen on ${host}:${port}: it is taken or not ours to use`, {
        hint: 'choose another with --port',
      });
    }
    this.#socket = socket;
    this.#site.watch.start(checkIntervalMs(this.#site.limits));
    return engine.us_socket_local_port(socket as us_socket);
  }

  async close(graceMs: number): Promise<void> {
    if (this.#socket === undefined) return;
    engine.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
    await this.#site.watch.drain(graceMs);
    this.#app.close();
  }
}

/** An exception that leaves this function, or an answer without `onAborted`, ends the process. */
function accept(site: Site, response: UwsResponse, request: UwsRequest): void {
  const wire = new UwsWire(response);
  try {
    const head = readHead(request);
    // Only `close` keeps a smuggled second request in the same packet from running.
    if (head === undefined) return wire.cut();
    const exchange = new Exchange(site, wire, head);
    wire.events = exchange;
    if (head.headers.has('content-length') || head.headers.has('transfer-encoding')) {
      response.onData((part, isLast) => exchange.takeBody(new Uint8Array(part), isLast));
    }
    exchange.start();
  } catch (error) {
    site.log('a request could not be taken', error);
    wire.cut();
  }
}

/** `request` is valid only now: everything is copied. */
function readHead(request: UwsRequest): RequestHead | undefined {
  const raw: string[] = [];
  request.forEach((name, value) => raw.push(name, value));
  const headers = readHeaders(raw);
  if (headers === undefined) return undefined;
  return {
    method: request.getCaseSensitiveMethod(),
    path: request.getUrl(),
    query: request.getQuery() ?? '',
    headers,
  };
}

class UwsWire implements Wire {
  events: WireEvents | undefined;
  readonly #response: UwsResponse;
  #isOpen: boolean = true;
  /** Goes on when the socket has room; true when all was taken. */
  #resume: (() => boolean) | undefined;
  #taken: (() => void) | undefined;
  #isListening: boolean = false;

  constructor(response: UwsResponse) {
    this.#response = response;
    response.onAborted(() => this.#aborted());
  }

  whole(head: ReplyHead, body: Uint8Array | undefined, lengthBytes?: number): Taken {
    if (!this.#isOpen) return undefined;
    if (body !== undefined && body.length > COPIED_BYTES) return this.#long(head, body);
    this.#response.cork(() => {
      this.#writeHead(head);
      if (body !== undefined) this.#response.end(body, head.close);
      else this.#endWithoutBody(lengthBytes);
    });
    this.#isOpen = false;
    return undefined;
  }

  begin(head: ReplyHead): void {
    if (this.#isOpen) this.#response.cork(() => this.#writeHead(head));
  }

  write(chunk: Uint8Array): Taken {
    let rest = chunk;
    const sliceBytes = chunk.length < LONG_BYTES ? SLICE_BYTES : chunk.length;
    const push = (firstBytes: number): boolean => {
      let wantsMore = true;
      for (let bytes = firstBytes; wantsMore && rest.length > 0; bytes = sliceBytes) {
        const slice = rest.subarray(0, bytes);
        // Not in a cork: of what is longer than a cork the engine loses all where the socket takes the
        // frame before it and no more: 8 of 116 answers of 1 GB broke for a reader that paused.
        wantsMore = this.#response.write(slice);
        rest = rest.subarray(bytes);
      }
      return wantsMore;
    };
    if (!this.#isOpen || push(sliceBytes)) return undefined;
    return this.#whenTaken(() => rest.length === 0 || push(PROBE_BYTES));
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.cork(() => this.#response.end());
  }

  cut(): void {
    if (this.#isOpen) this.#response.close();
  }

  /** `head.close` is left out: the engine has no such ending; shutdown closes all at its end. */
  #long(head: ReplyHead, body: Uint8Array): Taken {
    let isTaken = false;
    this.#response.cork(() => {
      this.#writeHead(head);
      isTaken = this.#response.tryEnd(body, body.length)[1];
    });
    const push = (): boolean => {
      const from = this.#response.getWriteOffset();
      this.#response.cork(() => {
        isTaken = this.#response.tryEnd(body.subarray(from), body.length)[1];
      });
      if (isTaken) this.#isOpen = false;
      return isTaken;
    };
    if (!isTaken) return this.#whenTaken(push);
    this.#isOpen = false;
    return undefined;
  }

  /** A length given to the engine's own call leaves the answer open for the next request to hit. */
  #endWithoutBody(lengthBytes: number | undefined): void {
    if (lengthBytes !== undefined) {
      this.#response.writeHeader('content-length', String(lengthBytes));
    }
    this.#response.endWithoutBody();
  }

  #writeHead(head: ReplyHead): void {
    this.#response.writeStatus(`${head.status} ${STATUS_CODES[head.status] ?? 'Unknown'}`);
    for (const [name, value] of head.headers) this.#response.writeHeader(name, value);
  }

  #whenTaken(resume: () => boolean): Promise<void> {
    if (!this.#isListening) this.#response.onWritable(() => this.#writable());
    this.#isListening = true;
    return new Promise((resolve) => {
      this.#resume = resume;
      this.#taken = resolve;
    });
  }

  /** The engine wants true unless a write made here failed in a way it must repeat. */
  #writable(): boolean {
    this.events?.progressed();
    if (this.#isOpen && this.#resume?.() === true) this.#settle();
    return true;
  }

  #aborted(): void {
    this.#isOpen = false;
    this.#settle();
    this.events?.gone();
  }

  #settle(): void {
    this.#resume = undefined;
    this.#taken?.();
    this.#taken = undefined;
  }
}
