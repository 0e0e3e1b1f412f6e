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

/**
 * Calls the engine without a cork and without its complaint.
 *
 * Bytes beyond a cork's capacity must not be written in one: the engine loses them if the socket does
 * not take all that the cork holds. Writing outside of a cork makes the engine print a line each time,
 * which cannot be turned off. It checks for any cork, not for the socket's own: so an answer that never
 * ends, on a connection of this process to itself, lends its empty one.
 */
export class LentCork {
  #lender: UwsResponse | undefined;
  #app: TemplatedApp | undefined;
  #client: Socket | undefined;

  /** Without such a connection `run` works too, but the engine prints its lines. */
  async open(): Promise<void> {
    const path = `/${randomUUID()}`;
    const app = engine.App();
    this.#app = app;
    const lent = new Promise<void>((resolve) => {
      app.any('/*', (response, request) => {
        if (request.getUrl() !== path) return void response.close();
        response.onAborted(() => (this.#lender = undefined));
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

  /** @param call calls of other answers than the lender's, not made while the engine hands over a request */
  run(call: () => void): void {
    if (this.#lender === undefined) call();
    else this.#lender.cork(call);
  }

  close(): void {
    this.#client?.destroy();
    this.#app?.close();
  }
}

async function withinMs(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(() => resolve(), ms)));
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
