/** How calls reach an API server: over HTTP (http-transport.ts), or not at all (simulated-api.ts). */

export interface ApiCall {
  readonly method: 'GET' | 'PATCH';
  /** With the query. */
  readonly path: string;
  /** Of a patch: JSON. */
  readonly body?: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** A header's value by lower-case name, '' when absent. */
  header(name: string): string;
  /** Closes the connection when it is not read to its end. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Transport {
  readonly name: string;
  /**
   * @throws {Unavailable} when there is no answer
   * @throws the signal's reason once it is aborted
   */
  send(call: ApiCall, signal: AbortSignal): Promise<ApiAnswer>;
  /** Credentials were refused: the next call uses new ones. */
  renew(): void;
  close(): void;
}

export const PATCH_TYPE = 'application/strategic-merge-patch+json';
