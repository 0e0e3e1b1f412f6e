/**
 * The interface of a front end on any HTTP engine (uws/, node/). A handler gets a plain request and
 * returns a reply; it never touches a socket.
 */
import type { Visit } from './visit.ts';

export interface HttpServer {
  /**
   * Starts listening.
   * @returns the port (useful with port 0)
   * @throws Unavailable when the address is in use or not permitted
   */
  listen(host: string, port: number): Promise<number>;
  /**
   * New connections get this certificate; those that are there keep theirs.
   * @throws when the files are no pair that can be used: then nothing changes
   */
  renew(tls: TlsFiles): void;
  /**
   * Stops accepting, lets running answers finish for up to `graceMs`, then aborts them.
   * @returns how many were aborted
   */
  close(graceMs: number): Promise<number>;
}

export interface HttpRequest {
  readonly method: string;
  /** Decoded path, without the query; unchanged if its encoding is damaged. */
  readonly path: string;
  /** The query as it came, without `?`, still percent-encoded. */
  readonly query: string;
  /** A header's value by lower-case name, '' when absent; repeated ones joined by `, `. */
  header(name: string): string;
  /** The whole body, at most `Limits.bodyMaxBytes`; empty when there is none. */
  readonly body: Uint8Array;
  /** Aborted when the client goes away or the answer's deadline passes. */
  readonly signal: AbortSignal;
  readonly visit: Visit;
}

export interface HttpReply {
  readonly status: number;
  /** Visible ASCII only. The front end writes length, coding, connection and date. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Bytes known at once, or chunks made on demand. The next chunk is requested when the socket took the
   * last one, by `next(true)` if it took all of it at once, else by `next(false)`. A chunk's memory may
   * be reused as soon as the next one is requested. Errors before the first chunk become an error answer,
   * later ones cut the connection.
   */
  readonly body: Uint8Array | string | AsyncIterable<Uint8Array>;
}

export type HttpHandler = (request: HttpRequest) => Promise<HttpReply> | HttpReply;

/** Answers a request by its head alone: undefined, and its body is read. Its own body is empty. */
export type BeforeBody = (
  request: HttpRequest,
) => Promise<HttpReply | undefined> | HttpReply | undefined;

/** Logs errors of a front end and a router that do not become an answer. */
export type Log = (message: string, error: unknown) => void;

export interface Limits {
  /** A longer body is refused with 413. */
  readonly bodyMaxBytes: number;
  /**
   * Bodies that have come and are not answered yet, of all requests together: what is beyond is refused with 503. At
   * least one of `bodyMaxBytes` is taken.
   */
  readonly inboundBytes: number;
  /** A body that takes longer to arrive is refused with 408. */
  readonly bodyMs: number;
  /** From the request to the first byte of the answer; then 503 and `signal` is aborted. */
  readonly answerMs: number;
  /** A reader that takes nothing for this long is cut off. */
  readonly stallMs: number;
}

/** How a request ended. */
export interface Outcome {
  /** 0: the client left before there was an answer. */
  readonly status: number;
  /** From the head of the request until the socket took the end of the answer. */
  readonly ms: number;
  /** The answer's body, as far as it was sent. */
  readonly bytes: number;
  /** The connection broke before the end of the answer. */
  readonly isCut: boolean;
}

/** Is told of every request, to count and log it. */
export interface Observer {
  began(visit: Visit): void;
  /** Called once for each that began. */
  ended(
    visit: Visit,
    request: Pick<HttpRequest, 'method' | 'path' | 'query'>,
    outcome: Outcome,
  ): void;
  /** A head that could be understood in two ways: the connection was closed. */
  refused(): void;
  /** A body for which other bodies left no room. */
  bodyRefused(): void;
}

/** A certificate with those up to its authority, and its key: PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface FrontEndOptions {
  readonly limits?: Partial<Limits>;
  /** Standard error unless given. */
  readonly log?: Log;
  readonly observer?: Observer;
  /** Absent: every body is read. */
  readonly beforeBody?: BeforeBody;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles | undefined;
}

/** Makes a server that answers every request with `handler`. */
export type FrontEnd = (handler: HttpHandler, options?: FrontEndOptions) => HttpServer;
