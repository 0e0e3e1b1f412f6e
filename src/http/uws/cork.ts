import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  engine,
  listenAlone,
  type ListeningSocket,
  type TemplatedApp,
  type UwsResponse,
} from './engine.ts';

const LOOPBACK = '127.0.0.1';
const OPENED_WITHIN_MS = 2000;
const REOPENED_AFTER_MS = 1000;
/** The engine's cork holds 16 KiB: what it has to copy must fit, with its own bytes around it. */
export const CORKED_BYTES: number = 15 * 1024;

/**
 * Calls the engine without a cork and without its complaint.
 *
 * Bytes beyond a cork's capacity must not be written in one: the engine loses them if the socket does
 * not take all that the cork holds. Writing outside of a cork makes the engine print a line each time,
 * which cannot be turned off. It checks for any cork, not for the socket's own: so an answer that never
 * ends, on a connection of this process to itself, lends its empty one.
 *
 * Without such a connection (no loopback, or something cut it) answers are written in their own corks, in
 * slices that fit. The engine then copies what the socket does not take and tells so a slice later.
 */
export class LentCork {
  #lender: UwsResponse | undefined;
  #app: TemplatedApp | undefined;
  #client: Socket | undefined;
  #reopening: NodeJS.Timeout | undefined;

  /** Resolves when the cork is lent, or is not within 2 s. A connection that is lost is opened again. */
  async open(): Promise<void> {
    const path = `/${randomUUID()}`;
    const app = engine.App();
    this.#app = app;
    const lent = new Promise<void>((resolve) => {
      app.any('/*', (response, request) => {
        if (request.getUrl() !== path) return void response.close();
        response.onAborted(() => this.#lost());
        this.#lender = response;
        resolve();
      });
    });
    const listening = await listenAlone(app, LOOPBACK, 0);
    if (listening === undefined) return;
    const client = connect(engine.us_socket_local_port(listening as ListeningSocket), LOOPBACK);
    this.#client = client.unref();
    client.on('error', () => undefined).resume();
    client.write(`GET ${path} HTTP/1.1\r\nHost: ${LOOPBACK}\r\n\r\n`);
    await withinMs(lent, OPENED_WITHIN_MS);
    engine.us_listen_socket_close(listening);
  }

  /** Bytes that a call of `run` may write so that none is lost. */
  get writableBytes(): number {
    return this.#lender === undefined ? CORKED_BYTES : Infinity;
  }

  /**
   * @param own the answer that `call` is of
   * @param call not made while the engine hands over a request
   */
  run(own: UwsResponse, call: () => void): void {
    (this.#lender ?? own).cork(call);
  }

  close(): void {
    clearTimeout(this.#reopening);
    this.#lender = undefined;
    this.#client?.destroy();
    this.#app?.close();
    this.#app = undefined;
  }

  /** `close` forgets the lender first: what is lost after it is not opened again. */
  #lost(): void {
    if (this.#lender === undefined) return;
    this.#lender = undefined;
    const reopen = (): void => {
      this.#app?.close();
      void this.open();
    };
    this.#reopening = setTimeout(reopen, REOPENED_AFTER_MS).unref();
  }
}

async function withinMs(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(() => resolve(), ms)));
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
