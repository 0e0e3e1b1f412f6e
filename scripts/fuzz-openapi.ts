/** Requests made of the document that the server serves, each answer held against it. */
import fc from 'fast-check';
import { describedRequest, operationsOf } from '../test/support/arbitraries/described-requests.ts';
import { DescribedApi } from '../test/support/described-answers.ts';
import {
  startRecordedServers,
  type RecordedServers,
  type WholeAnswer,
} from '../test/support/recorded-answers.ts';
import type { RecordedRequest } from '../test/support/recorded-request.ts';

export interface DescribedFuzz {
  readonly requests: number;
  readonly seed: number;
  readonly progress?: (done: number) => void;
}

/** So many are drawn at a time, and have one collection to ask for. */
const DRAWN = 250;
const FAILURES_MAX = 50;

/** Holds answers against a document, once there is one. */
export class HeldAnswers {
  api: DescribedApi | undefined;
  /** By status. */
  readonly counts: Map<number, number> = new Map();
  /** A sentence for each status, type and shape that the document does not name, and for each 5xx but 503. */
  readonly failures: string[] = [];
  /** Routes that were answered well, under either prefix, as `GET /path`. */
  readonly answered: Set<string> = new Set();
  #last: Buffer = Buffer.alloc(0);

  readonly whole = (asked: RecordedRequest, answer: WholeAnswer): void => {
    const { status, body } = answer;
    this.#last = body;
    if (this.api === undefined) return;
    this.counts.set(status, (this.counts.get(status) ?? 0) + 1);
    if (status < 300) this.answered.add(routeOf(asked.method, asked.path));
    const told = this.api.unnamed(asked, answer);
    if (status >= 500 && status !== 503)
      told.unshift(`${asked.method} ${asked.path}: ${status} ${body.toString('utf8', 0, 300)}`);
    this.failures.push(...told.map((sentence) => `${sentence}\n    ${restOf(asked)}`));
  };

  /** Takes the last answer for the document. */
  readDocument(): DescribedApi {
    this.api = new DescribedApi(JSON.parse(this.#last.toString('utf8')) as object);
    return this.api;
  }

  /** Routes of the document that were never answered well. */
  never(): string[] {
    const all = this.api === undefined ? [] : operationsOf(this.api);
    const routes = new Set(all.map(([method, path]) => routeOf(method, path)));
    return [...routes].filter((route) => !this.answered.has(route));
  }
}

function routeOf(method: string, path: string): string {
  const [before = ''] = path.split('?');
  return `${method} ${before.replace(/^\/model(?=\/)/, '')}`;
}

function restOf({ server, headers = {}, body }: RecordedRequest): string {
  return JSON.stringify({ server, headers, ...(body === undefined ? {} : { body }) });
}

/** Asks the requests of a seed one after the other, until there are many failures. */
export async function fuzzDescribed(
  servers: Pick<RecordedServers, 'ask'>,
  held: HeldAnswers,
  { requests, seed, progress = () => undefined }: DescribedFuzz,
): Promise<void> {
  if (held.api === undefined) throw new Error('there is no document');
  const drawn = describedRequest(held.api);
  for (let done = 0; done < requests && held.failures.length < FAILURES_MAX; done += DRAWN) {
    await servers.ask(collection(done));
    const numRuns = Math.min(DRAWN, requests - done);
    for (const asked of fc.sample(drawn, { seed: seed + done, numRuns })) await servers.ask(asked);
    progress(done + numRuns);
  }
}

/** Makes the collection that requests name, as those before it may have been removed. */
function collection(number: number): RecordedRequest {
  const body = JSON.stringify({
    name: `Fuzzed ${number}`,
    category: 'Team',
    groups: [{ selectors: { kubernetes: { filterString: 'namespace:"web"' } } }],
  });
  return { server: 'filled', method: 'POST', path: '/collections', body, makes: 'fuzzed' };
}

/** Fuzzes servers of its own: the bundle, over days of the demo. */
export async function fuzzServed(
  options: DescribedFuzz & { readonly frontEnd: string },
): Promise<{ readonly held: HeldAnswers; readonly errors: readonly unknown[] }> {
  const held = new HeldAnswers();
  const servers = await startRecordedServers({ frontEnd: options.frontEnd, whole: held.whole });
  try {
    await servers.ask({ server: 'filled', method: 'GET', path: '/openapi.json' });
    held.readDocument();
    await fuzzDescribed(servers, held, options);
    return { held, errors: servers.errors() };
  } finally {
    await servers.stop();
  }
}
