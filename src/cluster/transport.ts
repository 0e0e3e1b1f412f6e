/** Carries calls to an API server: over HTTP (http-transport.ts), or to a simulated one (simulated-api.ts). */

export interface ApiCall {
  readonly method: 'GET' | 'PATCH';
  /** With the query. */
  readonly path: string;
  /** JSON of a patch. */
  readonly body?: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** A header's value by lower-case name, '' when absent. */
  header(name: string): string;
  /** Leaving the loop early closes the connection. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  readonly name: string;
  /**
   * @throws {Unavailable} when there is no answer
   * @throws the signal's reason once it is aborted
   */
  send(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer>;
  /** After refused credentials: the next call uses new ones. */
  renew(): void;
  close(): void;
}

export const PATCH_TYPE = 'application/strategic-merge-patch+json';
