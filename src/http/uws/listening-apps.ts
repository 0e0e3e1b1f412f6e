/**
 * The engine's apps of one port. Over TLS an app has one certificate for good; so one that only listens hands its
 * sockets to another that answers, and a further one takes its place for new sockets when the certificate changes.
 *
 *     port ──► listening app ──► app with the newest certificate
 *                                apps with those before: they keep the sockets that they have
 */
import type { TlsFiles } from '../server.ts';
import {
  engine,
  handOver,
  listenAlone,
  type ListeningSocket,
  type ListenSocket,
  type TemplatedApp,
} from './engine.ts';

/** Puts the handler on an app. */
type Equip = (app: TemplatedApp) => unknown;

export class ListeningApps {
  readonly #equip: Equip;
  readonly #listener: TemplatedApp;
  /** The last one gets new sockets; none without TLS, where the listener answers itself. */
  readonly #answering: TemplatedApp[] = [];
  #socket: ListenSocket | undefined;

  /** @throws when the files are no pair that can be used */
  constructor(equip: Equip, tls: TlsFiles | undefined) {
    this.#equip = equip;
    this.#listener = tls === undefined ? engine.App() : secureApp(tls);
    if (tls === undefined) equip(this.#listener);
    else this.renew(tls);
  }

  /** @throws when the files are no pair that can be used: then nothing changes */
  renew(tls: TlsFiles): void {
    const app = secureApp(tls);
    this.#equip(app);
    handOver(this.#listener, this.#answering.at(-1), app);
    this.#answering.push(app);
  }

  /** @returns the port; undefined when the address is in use or not permitted */
  async listen(host: string, port: number): Promise<number | undefined> {
    const socket = await listenAlone(this.#listener, host, port);
    if (socket === undefined) return undefined;
    this.#socket = socket;
    return engine.us_socket_local_port(socket as ListeningSocket);
  }

  /** @returns whether it was listening */
  stopListening(): boolean {
    if (this.#socket === undefined) return false;
    engine.us_listen_socket_close(this.#socket);
    this.#socket = undefined;
    return true;
  }

  /** Closes all connections. */
  close(): void {
    for (const app of this.#answering) app.close();
    this.#listener.close();
  }
}

/** TLS 1.2 and later, as the engine is built. */
function secureApp({ certFile, keyFile }: TlsFiles): TemplatedApp {
  return engine.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
}
