/** The Kubernetes API over a transport: paths, pages, timeouts, retries and refusals. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../query/index.ts';
import { AnswerLost, ApiRefusal, type ClusterApi, type Page, type WatchEvent } from './api.ts';
import { deadlineOf } from './deadline.ts';
import { collectionPath, objectPath, type Kind } from './kinds.ts';
import { linesOf } from './lines.ts';
import { asObject, type ClusterObject } from './objects.ts';
import { createPacer, type Pacer } from './pacer.ts';
import type { ApiAnswer, ApiCall, Transport } from './transport.ts';

export interface RestOptions {
  readonly pageObjects?: number;
  /** A call without a byte for this long is given up. */
  readonly callTimeoutMs?: number;
  /** The same for a watch, which has a bookmark a minute after the last and a second or two later. */
  readonly silenceMs?: number;
  /** Calls a second, at most. */
  readonly callsPerSecond?: number;
  readonly random?: () => number;
  readonly pause?: (pauseMs: number, signal: AbortSignal) => Promise<unknown>;
}

const OPTIONS: Required<RestOptions> = {
  pageObjects: 500,
  callTimeoutMs: 30_000,
  silenceMs: 75_000,
  callsPerSecond: 20,
  random: Math.random,
  pause: (pauseMs, signal) => sleep(pauseMs, undefined, { signal }),
};

const MOST_TRIES = 3;
const RETRY_AFTER_MS_MAX = 30_000;
const WATCH_SECONDS = 300;

export function createClusterApi(transport: Transport, options: RestOptions = {}): ClusterApi {
  const client = new Client(transport, { ...OPTIONS, ...options });
  return {
    name: transport.name,
    list: (kind, signal, fields) => client.list(kind, signal, fields),
    watch: (kind, version, signal, fields) => client.watch(kind, version, signal, fields),
    async get(kind, place, signal) {
      const call: ApiCall = { method: 'GET', path: objectPath(kind, place) };
      return await client.request(call, signal).then(asObject, unlessGone);
    },
    async patch(kind, place, patch, { isDryRun, signal }) {
      const query = isDryRun ? '?fieldManager=prorata&dryRun=All' : '?fieldManager=prorata';
      const path = `${objectPath(kind, place)}${query}`;
      return asObject(
        await client.request({ method: 'PATCH', path, body: JSON.stringify(patch) }, signal),
      );
    },
    close: () => transport.close(),
  };
}

function unlessGone(error: unknown): undefined {
  if (error instanceof ApiRefusal && error.apiStatus === 404) return undefined;
  throw error;
}

class Client {
  readonly #transport: Transport;
  readonly #options: Required<RestOptions>;
  readonly #pacer: Pacer;

  constructor(transport: Transport, options: Required<RestOptions>) {
    this.#transport = transport;
    this.#options = options;
    this.#pacer = createPacer(options.callsPerSecond, 1000);
  }

  async *list(kind: Kind, signal: AbortSignal, fields?: string): AsyncGenerator<Page, void> {
    const limit = `limit=${this.#options.pageObjects}`;
    const first = `${collectionPath(kind)}?${limit}${selecting(fields)}`;
    let path: string | undefined = first;
    while (path !== undefined) {
      const page = asPage(await this.request({ method: 'GET', path }, signal));
      yield page;
      const { next } = page;
      path = next === '' ? undefined : `${first}&continue=${encodeURIComponent(next)}`;
    }
  }

  async *watch(
    kind: Kind,
    version: string,
    signal: AbortSignal,
    fields?: string,
  ): AsyncGenerator<WatchEvent, void> {
    const { silenceMs, random } = this.#options;
    const seconds = Math.round(WATCH_SECONDS * (1 + random()));
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${seconds}`;
    const from = `resourceVersion=${encodeURIComponent(version)}${selecting(fields)}`;
    const path = `${collectionPath(kind)}?${query}&${from}`;
    const deadline = deadlineOf(signal, silenceMs, this.#transport.name);
    try {
      const answer = await this.#authorized({ method: 'GET', path }, deadline.signal);
      const chunks = extending(answer.body, () => deadline.extend());
      for await (const line of linesOf(chunks)) yield eventOf(line);
    } catch (error) {
      throw this.#described(error, deadline.signal);
    } finally {
      deadline.clear();
    }
  }

  /** @returns the answer's JSON; a call is repeated where that is safe */
  async request(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#requestOnce(call, signal);
      } catch (error) {
        const pauseMs = pauseBefore(call, error, tries);
        if (pauseMs === undefined || signal.aborted) throw error;
        await this.#options.pause(pauseMs, signal);
      }
    }
  }

  async #requestOnce(call: ApiCall, signal: AbortSignal): Promise<unknown> {
    const deadline = deadlineOf(signal, this.#options.callTimeoutMs, this.#transport.name);
    try {
      const answer = await this.#authorized(call, deadline.signal);
      return JSON.parse(await textOf(answer, () => deadline.extend())) as unknown;
    } catch (error) {
      const failure = this.#described(error, deadline.signal);
      if (call.method === 'GET' || failure instanceof ApiRefusal) throw failure;
      throw new AnswerLost(`no answer to a patch: ${failure.message}`, { cause: error });
    } finally {
      deadline.clear();
    }
  }

  /** The answer of status 200; credentials that are refused are renewed once. */
  async #authorized(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer> {
    await this.#pacer(signal);
    const answer = await this.#transport.send(call, signal);
    if (answer.status === 200) return answer;
    const refusal = await refusalOf(answer, call);
    if (refusal.apiStatus !== 401) throw refusal;
    this.#transport.renew();
    const again = await this.#transport.send(call, signal);
    if (again.status === 200) return again;
    throw await refusalOf(again, call);
  }

  /** The error as one of the kinds that callers know. */
  #described(error: unknown, signal: AbortSignal): Error {
    if (signal.aborted) return asError(signal.reason);
    if (error instanceof Unavailable) return error;
    const why = asError(error).message.slice(0, 200);
    return new Unavailable(`${this.#transport.name} broke off: ${why}`, { cause: error });
  }
}

function selecting(fields: string | undefined): string {
  return fields === undefined ? '' : `&fieldSelector=${encodeURIComponent(fields)}`;
}

/** Milliseconds; undefined where a retry is useless or might apply a patch twice. */
function pauseBefore(call: ApiCall, error: unknown, tries: number): number | undefined {
  if (tries >= MOST_TRIES) return undefined;
  const backoffMs = 250 * 2 ** tries;
  if (error instanceof ApiRefusal) {
    const mayPass = error.apiStatus === 429 || (error.apiStatus >= 500 && call.method === 'GET');
    return mayPass ? Math.max(backoffMs, error.retryAfterMs) : undefined;
  }
  return call.method === 'GET' && error instanceof Unavailable ? backoffMs : undefined;
}

async function textOf(answer: ApiAnswer, progressed: () => void): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of extending(answer.body, progressed)) chunks.push(chunk);
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}

async function* extending(
  chunks: AsyncIterable<Uint8Array>,
  progressed: () => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    progressed();
    yield chunk;
  }
}

interface ListedPage extends Page {
  /** The token of the next page; '' for the last. */
  readonly next: string;
}

function asPage(value: unknown): ListedPage {
  const { metadata, items } = Object(value) as {
    metadata?: { resourceVersion?: string; continue?: string };
    items?: unknown;
  };
  const { resourceVersion, continue: next = '' } = metadata ?? {};
  if (typeof resourceVersion !== 'string' || !Array.isArray(items)) {
    throw new Unavailable('the Kubernetes API sent a list without version or items');
  }
  return { objects: items.map(asObject), version: resourceVersion, next };
}

function eventOf(line: string): WatchEvent {
  const { type, object } = JSON.parse(line) as { type?: string; object?: unknown };
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    return { type, object: asObject(object) };
  }
  if (type === 'BOOKMARK') {
    const version = (object as ClusterObject | undefined)?.metadata?.resourceVersion;
    if (typeof version === 'string' && version !== '') return { type, version };
  }
  if (type === 'ERROR') throw refusalFrom(object, 0, 'a watch');
  throw new Unavailable('the Kubernetes API sent something that is no event');
}

/** Reads the `Status` object that explains a refusal. */
async function refusalOf(answer: ApiAnswer, call: ApiCall): Promise<ApiRefusal> {
  const text = await textOf(answer, () => undefined).catch(() => '');
  const retryAfterMs = Math.min(RETRY_AFTER_MS_MAX, Number(answer.header('retry-after')) * 1000);
  const what = `${call.method} ${call.path.split('?')[0]}`;
  return refusalFrom(parsed(text), answer.status, what, retryAfterMs || 0);
}

function refusalFrom(
  value: unknown,
  answered: number,
  what: string,
  retryAfterMs: number = 0,
): ApiRefusal {
  const { message, reason, code } = Object(value) as Readonly<Record<string, unknown>>;
  const status = answered || (typeof code === 'number' ? code : 500);
  const why = typeof message === 'string' ? message.slice(0, 500) : `status ${status}`;
  return new ApiRefusal(
    `the Kubernetes API refused ${what}: ${why}`,
    status,
    typeof reason === 'string' ? reason : '',
    retryAfterMs,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
