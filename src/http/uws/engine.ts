/** Loads the native HTTP engine, after setting the environment variables that it reads. */
import type * as Package from 'uWebSockets.js';
import type { us_listen_socket } from 'uWebSockets.js';
import { HEAD_BYTES_READ } from '../request-head.ts';
import { loadBuild } from './builds.ts';

export type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  TemplatedApp,
  us_listen_socket as ListenSocket,
  us_socket as ListeningSocket,
} from 'uWebSockets.js';

/** Exports of the package that its types lack. */
interface Untyped {
  _cfg(option: 'silent'): void;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

/** Its apps can hand sockets to one another, of which the types tell nothing either. */
interface HandsOver {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

/** @param before the app that got new sockets of `listener` so far @param next the one that gets them from now on */
export function handOver(
  listener: Package.TemplatedApp,
  before: Package.TemplatedApp | undefined,
  next: Package.TemplatedApp,
): void {
  const [from, old, to] = [listener, before, next] as unknown as readonly [
    HandsOver,
    HandsOver | undefined,
    HandsOver,
  ];
  from.addChildAppDescriptor(to.getDescriptor());
  if (old !== undefined) from.removeChildAppDescriptor(old.getDescriptor());
}

interface ExclusiveListen {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: us_listen_socket | false) => void,
  ): void;
}

process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(HEAD_BYTES_READ);
const loaded = loadBuild() as typeof Package & Untyped;
// Otherwise each answer would name the engine.
loaded._cfg('silent');

export const engine: typeof Package = loaded;

/** @returns undefined when the address is in use or not permitted */
export async function listenAlone(
  app: Package.TemplatedApp,
  host: string,
  port: number,
): Promise<us_listen_socket | undefined> {
  // Without the flag a second process would silently share the port.
  const exclusive = loaded.LIBUS_LISTEN_EXCLUSIVE_PORT;
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    (app as unknown as ExclusiveListen).listen(host, port, exclusive, resolve);
  });
  return socket === false ? undefined : socket;
}
