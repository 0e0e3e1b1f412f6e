/** A tool asks a route of the API as its caller, by the handler that answers HTTP: nothing is computed another way. */
import { type AdmittedHandler, type AdmittedRequest, type Caller } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import type { Given } from './arguments.ts';
import type { RouteKey } from './tool.ts';

/** An answer is read whole: longer ones are refused. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

export interface Asked {
  readonly status: number;
  readonly body: unknown;
  /** Those in the head of an answer that has no place for them. */
  readonly warnings: readonly string[];
}

/** What is sent with the request. */
export interface Sent {
  readonly query: ReadonlyMap<string, string>;
  readonly body?: Given['body'];
}

/** @throws {Fault} for an answer that is too long to be read whole */
export async function askRoute(
  handler: AdmittedHandler,
  request: AdmittedRequest,
  route: RouteKey,
  sent: Sent,
): Promise<Asked> {
  const { visit } = request;
  const { route: outer } = visit;
  const { status, headers, body } = await handler(new ToolRequest(request, route, sent));
  visit.route = outer;
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : await whole(body);
  const told = headers['x-prorata-warnings'];
  return {
    status,
    body: JSON.parse(typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
    warnings: told === undefined ? [] : told.split('; '),
  };
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw tooLong();
    // A chunk is valid only until the next one is requested.
    parts.push(Buffer.from(chunk));
  }
  return Buffer.concat(parts);
}

function tooLong(): Fault {
  return new Fault(`the answer has more than ${ANSWER_BYTES_MAX / 2 ** 20} MiB`, {
    status: 422,
    hint: 'ask for fewer rows (limit), larger groups (aggregate), a shorter window, or accumulate=true',
  });
}

class ToolRequest implements AdmittedRequest {
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array;
  readonly visit: AdmittedRequest['visit'];
  readonly #outer: AdmittedRequest;
  readonly #type: string;

  constructor(outer: AdmittedRequest, route: RouteKey, { query, body }: Sent) {
    const [method = '', path = ''] = route.split(' ');
    this.caller = outer.caller;
    this.visit = outer.visit;
    this.#outer = outer;
    this.method = method;
    this.path = `/model${path}`;
    this.query = [...query].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
    this.body = Buffer.from(body?.text ?? '');
    this.#type = body?.type ?? '';
  }

  get signal(): AbortSignal {
    return this.#outer.signal;
  }

  /** None of the headers of the caller's own request is of this one. */
  header(name: string): string {
    return name === 'content-type' ? this.#type : '';
  }
}
