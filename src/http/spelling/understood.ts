/** A request as handlers have it: with the parameters of its body, and what the server makes of days. */
import { PassedOn, type AdmittedRequest, type Caller } from '../caller.ts';

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

class Understood extends PassedOn implements AdmittedRequest {
  readonly caller: Caller;
  readonly isExactDays: boolean;
  readonly #form: string | undefined;

  constructor(request: AdmittedRequest, { query, isExactDays = true }: Meaning) {
    super(request);
    this.caller = request.caller;
    this.isExactDays = isExactDays;
    this.#form = query;
  }

  override get query(): string {
    return this.#form ?? super.query;
  }

  override get body(): Uint8Array {
    return this.#form === undefined ? super.body : NOTHING;
  }

  /** Without the type of the body, which it has no more. */
  override header(name: string): string {
    return this.#form !== undefined && name === 'content-type' ? '' : super.header(name);
  }
}
