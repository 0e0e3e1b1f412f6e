/** An issuer of OpenID Connect: what it publishes of itself, and how it is asked. */
import { isLoopback, Unavailable } from '../query/index.ts';

/** The part of https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata that is used. */
export interface IssuerDocument {
  readonly jwksUri: URL;
  /** Absent: nobody can sign in by a browser. */
  readonly authorizationEndpoint: URL | undefined;
  readonly tokenEndpoint: URL | undefined;
}

const TIMEOUT_MS = 5000;
/** After a failure it is not asked for so long. */
const REST_MS = 5000;
const BYTES_MAX = 1 << 20;

export class Issuer {
  /** As it writes itself into tokens. */
  readonly url: string;
  readonly #onFailure: (sentence: string) => void;
  #document: Promise<IssuerDocument> | undefined;
  #failed: { readonly atMs: number; readonly error: Unavailable } | undefined;

  /** @param onFailure gets why it cannot be asked, at most once in five seconds */
  constructor(url: string, onFailure: (sentence: string) => void) {
    this.url = url;
    this.#onFailure = onFailure;
  }

  /** @throws {Unavailable} when it does not answer, or not as an issuer does */
  document(): Promise<IssuerDocument> {
    this.#document ??= this.#read().catch((error: unknown) => {
      this.#document = undefined;
      throw error;
    });
    return this.#document;
  }

  /**
   * GET, of a small answer. No redirect is followed.
   * @throws {Unavailable} when there is none
   */
  async fetch(url: string, headers: Headers = new Headers()): Promise<Response> {
    const { status, text } = await this.#send(url, { headers });
    if (status !== 200) throw this.failure(`${url} answers ${status}`, undefined);
    return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
  }

  /**
   * JSON for a form; undefined where it is refused.
   * @throws {Unavailable} when there is no answer
   */
  async post(url: URL, body: URLSearchParams, headers: Headers): Promise<unknown> {
    const { status, text } = await this.#send(url.href, { method: 'POST', body, headers });
    if (status === 400) return undefined;
    if (status !== 200) throw this.failure(`${url.href} answers ${status}`, undefined);
    try {
      return JSON.parse(text) as unknown;
    } catch (error) {
      throw this.failure(`${url.href} does not answer JSON`, error);
    }
  }

  /** The error of an issuer that does not publish what is needed. */
  lacks(name: string): Unavailable {
    return this.failure(`its configuration has no ${name} by https`, undefined);
  }

  async #send(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
    if (this.#failed !== undefined && performance.now() - this.#failed.atMs < REST_MS) {
      throw this.#failed.error;
    }
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const reply = await fetch(url, { ...init, signal, redirect: 'error' });
      return { status: reply.status, text: await bounded(reply) };
    } catch (error) {
      throw this.failure(reasonOf(error), error);
    }
  }

  /** The error of an issuer that cannot be used now. */
  failure(why: string, cause: unknown): Unavailable {
    const error = new Unavailable(`the issuer ${this.url} cannot be asked who signs in: ${why}`, {
      retryAfterSeconds: REST_MS / 1000,
      hint: 'tokens are verified again as soon as it answers',
      cause,
    });
    this.#failed = { atMs: performance.now(), error };
    this.#onFailure(error.message);
    return error;
  }

  async #read(): Promise<IssuerDocument> {
    const reply = await this.fetch(
      `${this.url.replace(/\/$/, '')}/.well-known/openid-configuration`,
    );
    let found: unknown;
    try {
      found = await reply.json();
    } catch (error) {
      throw this.failure('its configuration is no JSON', error);
    }
    const told = Object(found) as Record<string, unknown>;
    if (told['issuer'] !== this.url) {
      throw this.failure('its configuration is that of another issuer', undefined);
    }
    const urlOf = (name: string): URL | undefined => {
      const text = told[name];
      return typeof text === 'string' ? issuerUrl(text) : undefined;
    };
    const jwksUri = urlOf('jwks_uri');
    if (jwksUri === undefined) throw this.lacks('jwks_uri');
    const authorizationEndpoint = urlOf('authorization_endpoint');
    return { jwksUri, authorizationEndpoint, tokenEndpoint: urlOf('token_endpoint') };
  }
}

/** The URL of an issuer or of a part of it: by https, or by http of this machine; undefined for others. */
export function issuerUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopback(url.hostname) ? url : undefined;
}

async function bounded(reply: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of reply.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) throw new Error(`${reply.url} answers more than ${BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `fetch` says why in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
