/**
 * The front end over uWebSockets.js. Comments name its pitfalls where they are handled. One cannot be
 * handled: it ends its list of headers at an empty name and does not see those after it.
 */
import { STATUS_CODES } from 'node:http';
import { Unavailable } from '../../query/index.ts';
import { Exchange } from '../exchange.ts';
import type { ReplyHead } from '../reply-head.ts';
import { readHeaders, type RequestHead } from '../request-head.ts';
import type { FrontEnd, HttpServer, TlsFiles } from '../server.ts';
import { checkIntervalMs, createSite, type Site } from '../site.ts';
import { CORKED_BYTES, LentCork } from './cork.ts';
import type { TemplatedApp, UwsRequest, UwsResponse } from './engine.ts';
import { headerCalls, replyHeadBytes } from './header-calls.ts';
import { ListeningApps } from './listening-apps.ts';
import type { Taken, Wire, WireEvents } from '../wire.ts';

/**
 * Memory of the engine that one stalled reader holds, in addition to a long chunk. It is as long as what Node reads of a
 * socket at once: its `fetch` stops at each frame of a gzipped answer, and where frames are shorter it copies all that
 * came meanwhile each time.
 */
const SLICE_BYTES = 64 * 1024;
/**
 * Long chunks, which makers give to fast readers, are one slice. Each has a frame that is sent as a
 * packet of its own, and a packet of a few bytes costs as much as one of 20 KB.
 */
const LONG_BYTES = 512 * 1024;
/**
 * The end of a chunk that is held back until the socket took all before it; then it is sent without its
 * last byte, then that byte. Only a write shows whether the socket takes more, so while it does not, one
 * of these bytes is tried now and then. A socket may take a whole slice and no byte more; after these
 * bytes it takes the last one and the answer's end, for which the engine would set a deadline if it had
 * to buffer them.
 */
const TAIL_BYTES = 256;

export const uwsFrontEnd: FrontEnd = (handler, options = {}) => {
  const site = createSite(handler, options);
  const cork = new LentCork();
  const equip = (app: TemplatedApp): TemplatedApp =>
    app.any('/*', (response, request) => accept(site, cork, response, request));
  return new UwsServer(new ListeningApps(equip, options.tls), site, cork);
};

class UwsServer implements HttpServer {
  readonly #apps: ListeningApps;
  readonly #site: Site;
  readonly #cork: LentCork;

  constructor(apps: ListeningApps, site: Site, cork: LentCork) {
    this.#apps = apps;
    this.#site = site;
    this.#cork = cork;
  }

  async listen(host: string, port: number): Promise<number> {
    await this.#cork.open();
    const listening = await this.#apps.listen(host, port);
    if (listening === undefined) {
      this.#cork.close();
      throw new Unavailable(`cannot listen on ${host}:${port}: it is taken or not ours to use`, {
        hint: 'choose another with --port',
      });
    }
    this.#site.watch.start(checkIntervalMs(this.#site.limits));
    return listening;
  }

  renew(tls: TlsFiles): void {
    this.#apps.renew(tls);
  }

  async close(graceMs: number): Promise<number> {
    if (!this.#apps.stopListening()) return 0;
    const cut = await this.#site.watch.drain(graceMs);
    this.#cork.close();
    this.#apps.close();
    return cut;
  }
}

/** An exception that leaves this function, or an answer without `onAborted`, ends the process. */
function accept(site: Site, cork: LentCork, response: UwsResponse, request: UwsRequest): void {
  const wire = new UwsWire(response, cork);
  try {
    const head = readHead(request);
    // Only `close` prevents a smuggled second request in the same packet from running.
    if (head === undefined) {
      site.observer.refused();
      return wire.cut();
    }
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

/** Copies everything, as `request` is valid only during the call. */
function readHead(request: UwsRequest): RequestHead | undefined {
  const raw: string[] = [];
  request.forEach((name, value) => raw.push(name, value));
  const fields = readHeaders(raw);
  if (fields === undefined) return undefined;
  return {
    method: request.getCaseSensitiveMethod(),
    path: request.getUrl(),
    query: request.getQuery() ?? '',
    ...fields,
  };
}

class UwsWire implements Wire {
  events: WireEvents | undefined;
  readonly #response: UwsResponse;
  readonly #cork: LentCork;
  #isOpen: boolean = true;
  /** Tries to continue; with `hasRoom` the socket takes some packets for sure. True when all was taken. */
  #resume: ((hasRoom: boolean) => boolean) | undefined;
  #taken: (() => void) | undefined;
  #isListening: boolean = false;

  constructor(response: UwsResponse, cork: LentCork) {
    this.#response = response;
    this.#cork = cork;
    response.onAborted(() => this.#aborted());
  }

  whole(head: ReplyHead, body: Uint8Array | undefined, lengthBytes?: number): Taken {
    if (!this.#isOpen) return undefined;
    if (body !== undefined && replyHeadBytes(head) + body.length > CORKED_BYTES) {
      return this.#long(head, body);
    }
    this.#response.cork(() => {
      this.#writeHead(head);
      if (body !== undefined) this.#response.end(body, head.close);
      else this.#endWithoutBody(lengthBytes);
    });
    this.#isOpen = false;
    return undefined;
  }

  /** Begins later: while the engine hands over a request it holds a cork, in which no chunk is safe. */
  begin(head: ReplyHead): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        if (this.#isOpen) this.#response.cork(() => this.#writeHead(head));
        resolve();
      });
    });
  }

  write(chunk: Uint8Array): Taken {
    if (!this.#isOpen) return undefined;
    let rest = chunk;
    const sliceBytes = chunk.length < LONG_BYTES ? SLICE_BYTES : chunk.length;
    const send = (bytes: number): boolean => {
      const slice = rest.subarray(0, bytes);
      rest = rest.subarray(bytes);
      return this.#writeSlice(slice);
    };
    const last = (): true => {
      this.#response.cork(() => this.#response.write(rest));
      return true;
    };
    const push = (): boolean => {
      while (rest.length > 1) {
        const most = rest.length - (rest.length > TAIL_BYTES ? TAIL_BYTES : 1);
        if (!send(Math.min(most, sliceBytes, this.#cork.writableBytes))) return false;
      }
      return last();
    };
    const resume = (hasRoom: boolean): boolean => {
      if (rest.length > 1) return send(1) && push();
      return hasRoom && last();
    };
    return push() ? undefined : this.#whenTaken(resume);
  }

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#response.cork(() => this.#response.end());
  }

  cut(): void {
    if (this.#isOpen) this.#response.close();
  }

  peer(): string {
    return this.#isOpen ? Buffer.from(this.#response.getRemoteAddressAsText()).toString() : '';
  }

  /** Tries to write again, and puts off the engine, which ends a connection 8 to 12 s after a failed write. */
  keepWaiting(): void {
    if (!this.#isOpen || this.#resume === undefined) return;
    if (this.#resume(false)) return this.#settle();
    // Neither shows what is left of the deadline, which stays when the socket takes all that the engine had
    // buffered but is not yet writable: to pause sets it to none, to resume begins it again.
    this.#response.pause();
    this.#response.resume();
  }

  /** `head.close` is ignored: the engine cannot end so; shutdown closes all connections at its end. */
  #long(head: ReplyHead, body: Uint8Array): Taken {
    let isTaken = false;
    this.#response.cork(() => {
      this.#writeHead(head);
      isTaken = this.#response.tryEnd(body, body.length)[1];
    });
    const push = (): boolean => {
      const from = this.#response.getWriteOffset();
      // In its own cork the end would be taken before the socket takes it, with the engine's deadline.
      this.#cork.run(
        this.#response,
        () => (isTaken = this.#response.tryEnd(body.subarray(from), body.length)[1]),
      );
      if (isTaken) this.#isOpen = false;
      return isTaken;
    };
    if (!isTaken) return this.#whenTaken(push);
    this.#isOpen = false;
    return undefined;
  }

  /** @returns whether the socket took the slice and everything before it */
  #writeSlice(slice: Uint8Array): boolean {
    let isTaken = false;
    this.#cork.run(this.#response, () => (isTaken = this.#response.write(slice)));
    return isTaken;
  }

  /** Does not use the engine's call with a length, which would leave the answer open for the next request. */
  #endWithoutBody(lengthBytes: number | undefined): void {
    if (lengthBytes !== undefined) {
      this.#response.writeHeader('content-length', String(lengthBytes));
    }
    this.#response.endWithoutBody();
  }

  #writeHead(head: ReplyHead): void {
    this.#response.writeStatus(`${head.status} ${STATUS_CODES[head.status] ?? 'Unknown'}`);
    for (const { name, value } of headerCalls(head)) this.#response.writeHeader(name, value);
  }

  #whenTaken(resume: (hasRoom: boolean) => boolean): Promise<void> {
    if (!this.#isListening) this.#response.onWritable(() => this.#writable());
    this.#isListening = true;
    return new Promise((resolve) => {
      this.#resume = resume;
      this.#taken = resolve;
    });
  }

  /** The engine expects true unless a write made here failed and must be repeated. */
  #writable(): boolean {
    this.events?.progressed();
    if (this.#isOpen && this.#resume?.(true) === true) this.#settle();
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
