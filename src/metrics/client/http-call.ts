/** A call to a metrics store over HTTP, and its answer. */
import type { AnswerBody } from './answer-body.ts';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpAnswer {
  readonly status: number;
  /** A header's value by lower-case name, '' when absent. */
  header(name: string): string;
  readonly body: AnswerBody;
}

export interface HttpClient {
  /**
   * Redirects are not followed, and an aborted call closes its connection at once. There is no time limit
   * except for connecting: the others are in the caller's signal.
   */
  send(call: HttpCall, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Signs requests, as stores want it that know no password. */
export interface RequestSigner {
  /** @returns further headers @throws {Unavailable} where it cannot */
  headers(
    request: { readonly method: string; readonly url: URL; readonly body: Uint8Array | undefined },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** Called when a signed request was refused. */
  refused(): void;
}
