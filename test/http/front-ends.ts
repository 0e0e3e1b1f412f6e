/** The front ends that all wire tests run on, and a raw client that sees the bytes on the wire. */
import { connect, type Socket } from 'node:net';
import { loadFrontEnd } from '../../src/http/index.ts';
import type { FrontEnd, FrontEndOptions, HttpHandler } from '../../src/http/server.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

export const FRONT_ENDS: readonly { readonly name: string; readonly frontEnd: FrontEnd }[] =
  await Promise.all(
    FRONT_END_NAMES.map(async (name) => ({ name, frontEnd: await loadFrontEnd(name) })),
  );

export interface Served {
  readonly port: number;
  readonly url: string;
  /** The logged messages. */
  readonly logged: string[];
}

/** Serves `handler` while `use` runs. */
export async function serving(
  frontEnd: FrontEnd,
  handler: HttpHandler,
  use: (served: Served) => Promise<void>,
  limits: NonNullable<FrontEndOptions['limits']> = {},
  options: Omit<FrontEndOptions, 'limits' | 'log'> = {},
): Promise<void> {
  const logged: string[] = [];
  const log = (message: string, error: unknown): void => {
    logged.push(`${message}: ${String(error)}`);
  };
  const server = frontEnd(handler, { limits, log, ...options });
  const port = await server.listen('127.0.0.1', 0);
  try {
    await use({ port, url: `http://127.0.0.1:${port}`, logged });
  } finally {
    await server.close(0);
  }
}

/** A connected socket that collects nothing by itself. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()));
  return socket;
}

/** Sends `bytes`, returns the answer (as Latin-1) until the server closed or was silent for `ms`. */
export async function exchange(port: number, bytes: string, ms: number = 150): Promise<string> {
  const socket = await dial(port);
  let text = '';
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(ms, finish);
    socket.on('data', (part) => (text += part.toString('latin1')));
    socket.on('close', finish);
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** Polls until `isTrue`; fails after five seconds. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let left = 1000; left > 0; left--) {
    if (isTrue()) return;
    await pause(5);
  }
  throw new Error(`waited five seconds in vain until ${what}`);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(() => resolve(), ms));
}
