/**
 * Reads pages of kubelets over HTTPS, and of exporters on nodes over HTTP. A page is taken as it comes:
 * within a time, whatever its sender does.
 */
import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { pipeline } from 'node:stream';
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { createGunzip } from 'node:zlib';
import { wordsOfAnswer, wordsOfError } from '../answer-words.ts';
import { PageFault } from './page-lines.ts';

/** What kubelets are called with. */
export interface KubeletAccess {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized'>;
}

export interface PageAddress {
  readonly isKubelet: boolean;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** Further names that a kubelet's certificate may have. */
  readonly names: readonly string[];
}

export interface PageHead {
  /** The sender's clock as its answer began, in whole seconds; NaN without one. */
  readonly dateMs: number;
}

/** An answer that is no page. */
export class PageRefused extends PageFault {
  readonly answered: number;

  constructor(message: string, answered: number) {
    super(message);
    this.answered = answered;
  }
}

/** Tokens are renewed long before they expire. */
const ACCESS_MS = 60_000;
/** The pages of a node follow each other; until the next interval a connection takes 90 KB of memory. */
const IDLE_MS = 3000;
const CHUNK_BYTES = 64 * 1024;

export class PageClient {
  readonly #access: () => Promise<KubeletAccess>;
  readonly #timeoutMs: number;
  readonly #plain = new PlainAgent({ keepAlive: true });
  #secure = new Agent({ keepAlive: true });
  #tls: KubeletAccess['tls'] | undefined;
  #cached: Promise<KubeletAccess> | undefined;
  #untilMs = 0;

  /**
   * @param access is read again each minute, and after a refusal
   * @param timeoutMs of a whole page
   */
  constructor(access: () => Promise<KubeletAccess>, timeoutMs: number) {
    this.#access = access;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws {PageFault} when the page did not come as a whole, and errors of `take` */
  async read(
    address: PageAddress,
    take: (chunk: Buffer) => void,
    signal: AbortSignal,
  ): Promise<PageHead> {
    const limit = new AbortController();
    const stop = (): void => limit.abort(signal.reason);
    const timer = setTimeout(() => {
      limit.abort(new PageFault(`it did not answer within ${this.#timeoutMs / 1000} s`));
    }, this.#timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      const answer = await this.#send(address, limit.signal);
      const { statusCode: status = 0 } = answer;
      if (status !== 200) throw new PageRefused(await wordsOfAnswer(answer), status);
      await takeBody(answer, take);
      return { dateMs: Date.parse(answer.headers.date ?? '') };
    } catch (error) {
      if (limit.signal.aborted) throw limit.signal.reason;
      if (error instanceof PageFault) throw error;
      throw new PageFault(wordsOfError(error), { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      limit.abort(); // ends a connection that is still answering
    }
  }

  close(): void {
    this.#secure.destroy();
    this.#plain.destroy();
  }

  async #send(address: PageAddress, signal: AbortSignal): Promise<IncomingMessage> {
    const headers = { accept: 'text/plain;version=0.0.4', 'accept-encoding': 'gzip' };
    const { host, port, path } = address;
    const options = { host, port, path, signal };
    if (!address.isKubelet) {
      return await answered(() => plainRequest({ ...options, headers, agent: this.#plain }));
    }
    const answer = await this.#sendKubelet(address, options, headers);
    if (answer.statusCode !== 401) return answer;
    answer.resume();
    this.#cached = undefined;
    return await this.#sendKubelet(address, options, headers);
  }

  async #sendKubelet(
    { names }: PageAddress,
    options: RequestOptions,
    headers: Readonly<Record<string, string>>,
  ): Promise<IncomingMessage> {
    const access = await this.#current();
    const agent = this.#agentFor(access.tls);
    const send = (): ClientRequest =>
      request({
        agent,
        ...options,
        rejectUnauthorized: access.tls.rejectUnauthorized ?? true,
        headers: { ...headers, ...access.headers },
        checkServerIdentity: (host, certificate) => identityOf([host, ...names], certificate),
      });
    return await answered(send);
  }

  async #current(): Promise<KubeletAccess> {
    if (this.#cached === undefined || performance.now() > this.#untilMs) {
      const fresh = this.#access();
      this.#cached = fresh;
      this.#untilMs = performance.now() + ACCESS_MS;
      // A failure is not cached.
      fresh.catch(() => (this.#cached = undefined));
    }
    return await this.#cached;
  }

  /** Stays as long as the certificates are the same, so that connections are reused. */
  #agentFor(tls: KubeletAccess['tls']): Agent {
    if (!isDeepStrictEqual(tls, this.#tls)) {
      this.#secure.destroy();
      // One context for all connections: each would parse the authorities, and keep them.
      const secureContext = createSecureContext(tls);
      this.#secure = new Agent({
        keepAlive: true,
        timeout: IDLE_MS,
        maxCachedSessions: 1000,
        secureContext,
      });
      this.#tls = tls;
    }
    return this.#secure;
  }
}

/** A node's address is rarely in a certificate that was made for its name, and the reverse. */
function identityOf(names: readonly string[], certificate: PeerCertificate): Error | undefined {
  const errors = names.map((name) => checkServerIdentity(name, certificate));
  return errors.includes(undefined) ? undefined : errors[0];
}

/** A connection that was kept may be closed by its server as it is used again: then another is opened. */
function answered(send: () => ClientRequest, tries: number = 1): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = send();
    sent.on('response', resolve);
    sent.on('error', (error: Error & { code?: string }) => {
      if (tries < TRIES_MAX && sent.reusedSocket && error.code === 'ECONNRESET') {
        resolve(answered(send, tries + 1));
      } else reject(error);
    });
    sent.end();
  });
}

/** Each kept connection to a server may be closed. */
const TRIES_MAX = 3;

async function takeBody(answer: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  const isGzip = answer.headers['content-encoding'] === 'gzip';
  // An error of either ends the loop below.
  const body = isGzip
    ? pipeline(answer, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
    : answer;
  for await (const chunk of body) take(chunk as Buffer);
  if (!answer.complete) throw new PageFault('its answer broke off');
}
