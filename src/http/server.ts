/**
 * What a front end offers, whichever engine it stands on (uws.ts, node.ts). A handler gets a plain
 * request and returns a reply; it never touches a socket.
 */
export interface HttpServer {
  /** Starts listening. @returns the port (useful with port 0) @throws when the port is taken */
  listen(host: string, port: number): Promise<number>;
  /** Stops accepting, lets running answers finish for up to `graceMs`, then aborts them. */
  close(graceMs: number): Promise<void>;
}

export interface HttpRequest {
  readonly method: string;
  /** Decoded path, without the query. */
  readonly path: string;
  /** The query as it came, without `?`, still percent-encoded. */
  readonly query: string;
  /** A header's value by lower-case name, '' when absent. */
  header(name: string): string;
  /** Aborted when the client goes away or the answer's deadline passes. */
  readonly signal: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes known at once, or chunks made on demand: the next chunk is asked for when the socket took
   * the last one, and a chunk's memory may be reused as soon as the next is asked for.
   */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array>;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpReply> | HttpReply;

/** Makes a server that answers every request with `handler`. */
export type FrontEnd = (handler: HttpHandler) => HttpServer;
