/** Calls to an API server over HTTP/1.1 and TLS. */
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { Unavailable } from '../query/index.ts';
import { readKubeconfig, type Credentials, type Kubeconfig } from './kubeconfig.ts';
import { PATCH_TYPE, type ApiAnswer, type ApiCall, type Transport } from './transport.ts';

/** Credentials are read again after this time: tokens and a CA are renewed long before they expire. */
const CREDENTIALS_MS = 60_000;

/**
 * @param path of a kubeconfig; absent: the one that kubectl would use, else the pod's service account
 * @throws {Fault} when there is none, or it cannot be used
 */
export async function openHttpTransport(path: string | undefined): Promise<Transport> {
  const renewed = (): Promise<Kubeconfig> => readKubeconfig(path);
  return httpTransport(await renewed(), renewed);
}

/** @param renewed reads the configuration again after its credentials were refused */
export function httpTransport(config: Kubeconfig, renewed: () => Promise<Kubeconfig>): Transport {
  return new HttpTransport(config, renewed);
}

interface TimedCredentials {
  readonly credentials: Credentials;
  readonly agent: RequestOptions['agent'];
  readonly untilMs: number;
}

class HttpTransport implements Transport {
  readonly name: string;
  readonly #renewed: () => Promise<Kubeconfig>;
  #config: Promise<Kubeconfig>;
  #cached: Promise<TimedCredentials> | undefined;
  /** Stays as long as the certificates are the same, so that connections are reused. */
  #own: { readonly tls: Credentials['tls']; readonly agent: PlainAgent } | undefined;

  constructor(config: Kubeconfig, renewed: () => Promise<Kubeconfig>) {
    this.#renewed = renewed;
    this.#config = Promise.resolve(config);
    this.name = `the Kubernetes API at ${config.server.origin}`;
  }

  async send(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
    const { credentials, agent } = await this.#current();
    const { server, headers, tls } = credentials;
    const options: RequestOptions = {
      ...tls,
      agent,
      signal,
      method: call.method,
      path: `${server.pathname.replace(/\/$/, '')}${call.path}`,
      headers: { ...headers, accept: 'application/json', ...bodyHeaders(call) },
    };
    try {
      return answerOf(await answered(server, options, call.body));
    } catch (cause) {
      signal.throwIfAborted();
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Unavailable(`cannot reach ${this.name}: ${why}`, { cause });
    }
  }

  renew(): void {
    this.#cached = undefined;
    const config = this.#renewed();
    // A failure is thrown by the next call.
    config.catch(() => undefined);
    this.#config = config;
  }

  close(): void {
    this.#own?.agent.destroy();
  }

  async #current(): Promise<TimedCredentials> {
    const known = await this.#cached;
    if (known !== undefined && known.untilMs > performance.now()) return known;
    const fresh = this.#read();
    this.#cached = fresh;
    // A failure is not cached.
    fresh.catch(() => (this.#cached = undefined));
    return await fresh;
  }

  async #read(): Promise<TimedCredentials> {
    const credentials = await (await this.#config).credentials();
    const untilMs = performance.now() + CREDENTIALS_MS;
    return { credentials, untilMs, agent: credentials.proxyAgent ?? this.#agentFor(credentials) };
  }

  #agentFor({ tls, server }: Credentials): PlainAgent {
    if (this.#own !== undefined && isDeepStrictEqual(this.#own.tls, tls)) return this.#own.agent;
    this.#own?.agent.destroy();
    const settings = { ...tls, keepAlive: true, maxSockets: 16 };
    const agent = server.protocol === 'http:' ? new PlainAgent(settings) : new Agent(settings);
    this.#own = { tls, agent };
    return agent;
  }
}

function bodyHeaders({ body }: ApiCall): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  return { 'content-type': PATCH_TYPE, 'content-length': String(Buffer.byteLength(body)) };
}

function answered(server: URL, options: RequestOptions, body?: string): Promise<IncomingMessage> {
  const send = server.protocol === 'http:' ? plainRequest : request;
  return new Promise((resolve, reject) => {
    const sent = send(server, options, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

function answerOf(message: IncomingMessage): ApiAnswer {
  // An abort while the body is not being read must not become an unhandled 'error' event.
  message.on('error', () => undefined);
  return {
    status: message.statusCode ?? 0,
    header: (name) => [message.headers[name] ?? ''].flat().join(', '),
    body: message,
  };
}
