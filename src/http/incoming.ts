import { askedOn } from '../query/index.ts';
import type { RequestHead } from './request-head.ts';
import { decodePath } from './request-head.ts';
import type { HttpRequest } from './server.ts';
import type { Visit } from './visit.ts';

/** A request for handlers; its signal is created at its first use. */
export class Incoming implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array;
  readonly visit: Visit;
  readonly #headers: ReadonlyMap<string, string>;
  #abort: AbortController | undefined;
  #aborted: { readonly reason: Error } | undefined;

  constructor(head: RequestHead, body: Uint8Array, visit: Visit) {
    this.visit = visit;
    this.method = head.method;
    this.path = decodePath(head.path);
    this.query = head.query;
    this.body = body;
    this.#headers = head.headers;
  }

  header(name: string): string {
    return this.#headers.get(name) ?? '';
  }

  get signal(): AbortSignal {
    this.#abort ??= this.#asked();
    if (this.#aborted !== undefined) this.#abort.abort(this.#aborted.reason);
    return this.#abort.signal;
  }

  #asked(): AbortController {
    const abort = new AbortController();
    askedOn(abort.signal, this.visit);
    return abort;
  }

  abort(reason: Error): void {
    this.#aborted ??= { reason };
    this.#abort?.abort(this.#aborted.reason);
  }
}
