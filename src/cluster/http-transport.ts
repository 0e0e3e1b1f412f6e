/** Calls to an API server over HTTP/1.1 and TLS. */
import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { Unavailable } from '../query/index.ts';
import { readKubeconfig, type Admission, type Kubeconfig } from './kubeconfig.ts';
import { PATCH_TYPE, type ApiAnswer, type ApiCall, type Transport } from './transport.ts';

/** Service accounts' tokens are renewed long before they expire, as is a CA. */
const ADMISSION_MS = 60_000;

/**
 * @param path of a kubeconfig; absent: what kubectl would use, then the pod's service account
 * @throws {Fault} when there is none, or it cannot be used
 */
export async function openHttpTransport(path: string | undefined): Promise<Transport> {
  const renewed = (): Promise<Kubeconfig> => readKubeconfig(path);
  return httpTransport(await renewed(), renewed);
}

/** @param renewed reads the configuration again, when its credentials were refused */
export function httpTransport(config: Kubeconfig, renewed: () => Promise<Kubeconfig>): Transport {
  return new HttpTransport(config, renewed);
}

interface Admitted {
  readonly admission: Admission;
  readonly agent: RequestOptions['agent'];
  readonly untilMs: number;
}

class HttpTransport implements Transport {
  readonly name: string;
  readonly #renewed: () => Promise<Kubeconfig>;
  #config: Promise<Kubeconfig>;
  #admitted: Promise<Admitted> | undefined;
  /** Kept as long as the certificates stay: connections are used again. */
  #own: { readonly tls: Admission['tls']; readonly agent: PlainAgent } | undefined;

  constructor(config: Kubeconfig, renewed: () => Promise<Kubeconfig>) {
    this.#renewed = renewed;
    this.#config = Promise.resolve(config);
    this.name = `the Kubernetes API at ${config.server.origin}`;
  }

  async send(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
    const { admission, agent } = await this.#admission();
    const { server, headers, tls } = admission;
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
    this.#admitted = undefined;
    const config = this.#renewed();
    // Told to whoever calls next.
    config.catch(() => undefined);
    this.#config = config;
  }

  close(): void {
    this.#own?.agent.destroy();
  }

  async #admission(): Promise<Admitted> {
    const known = await this.#admitted;
    if (known !== undefined && known.untilMs > performance.now()) return known;
    const fresh = this.#admit();
    this.#admitted = fresh;
    // What failed is not kept.
    fresh.catch(() => (this.#admitted = undefined));
    return await fresh;
  }

  async #admit(): Promise<Admitted> {
    const admission = await (await this.#config).admission();
    const untilMs = performance.now() + ADMISSION_MS;
    return { admission, untilMs, agent: admission.proxyAgent ?? this.#agentFor(admission) };
  }

  #agentFor({ tls, server }: Admission): PlainAgent {
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
  // An abort while nobody reads must not become an unhandled 'error' event.
  message.on('error', () => undefined);
  return {
    status: message.statusCode ?? 0,
    header: (name) => [message.headers[name] ?? ''].flat().join(', '),
    body: message,
  };
}
