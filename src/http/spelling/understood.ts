/** A request as handlers have it: with the parameters of its body, and what the server makes of days. */
import type { AdmittedRequest, Caller } from '../caller.ts';
import type { Visit } from '../visit.ts';

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const NOTHING = new Uint8Array(0);

/**
 * The request, with a form in the body of one that reads (`curl -XGET -d window=2d`) after the parameters of its
 * query.
 */
export function understood(request: AdmittedRequest, isExactDays: boolean): AdmittedRequest {
  if (!hasForm(request)) return isExactDays ? new Understood(request, {}) : request;
  // Bytes that are no UTF-8 become U+FFFD, which is refused where parameters are read.
  const form = Buffer.from(request.body).toString('utf8');
  const query = request.query === '' ? form : `${request.query}&${form}`;
  return new Understood(request, { query, isExactDays });
}

function hasForm(request: AdmittedRequest): boolean {
  if (request.body.length === 0 || !READING.has(request.method)) return false;
  return FORM.test(request.header('content-type'));
}

interface Meaning {
  /** With the form; absent: there is none. */
  readonly query?: string;
  readonly isExactDays?: boolean;
}

class Understood implements AdmittedRequest {
  readonly query: string;
  readonly body: Uint8Array;
  readonly isExactDays: boolean;
  readonly #request: AdmittedRequest;
  readonly #hasForm: boolean;

  constructor(request: AdmittedRequest, { query, isExactDays = true }: Meaning) {
    this.#request = request;
    this.#hasForm = query !== undefined;
    this.query = query ?? request.query;
    this.body = query === undefined ? request.body : NOTHING;
    this.isExactDays = isExactDays;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.path;
  }

  get caller(): Caller {
    return this.#request.caller;
  }

  get visit(): Visit {
    return this.#request.visit;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** Without the type of the body, which it has no more. */
  header(name: string): string {
    return this.#hasForm && name === 'content-type' ? '' : this.#request.header(name);
  }
}
