import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import {
  engine,
  listenAlone,
  type ListeningSocket,
  type TemplatedApp,
  type UwsResponse,
} from './uws-engine.ts';

const LOOPBACK = '127.0.0.1';
const OPENED_WITHIN_MS = 2000;

/**
 * Calls the engine without a cork and without its complaint.
 *
 * What is longer than a cork must not be written in one: the engine loses it where the socket does not
 * take what the cork holds. Whoever writes outside one makes it print a line each time, which
 * is not ours to turn off. It asks for any cork, not for the socket's own: so an answer that never
 * ends, of a connection of this process to itself, lends its empty one.
 */
export class LentCork {
  #lender: UwsResponse | undefined;
  #app: TemplatedApp | undefined;
  #client: Socket | undefined;

  /** Where there is no such connection to be had, `run` still calls: the engine is heard then. */
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

  /** @param call calls of other answers than the lender, not made while the engine calls us with a request */
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
