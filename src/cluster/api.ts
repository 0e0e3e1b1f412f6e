/** What is asked of a Kubernetes API server. rest.ts asks it over a transport. */
import { Unavailable } from '../query/index.ts';
import type { Kind, Place } from './kinds.ts';
import type { ClusterObject } from './objects.ts';

export interface ClusterApi {
  /** Such as `the Kubernetes API at https://10.0.0.1:443`. */
  readonly name: string;
  /**
   * All objects of a kind, in pages of one moment.
   * @throws {ApiRefusal} 410 when the moment passed out of the server's history meanwhile
   */
  list(kind: Kind, signal: AbortSignal): AsyncIterable<Page>;
  /**
   * What changed since `version`, over one connection: ends when the server ends it, after 5 to 10
   * minutes.
   * @throws {ApiRefusal} 410 when the server's history does not reach back so far
   * @throws {Unavailable} when nothing came for 55 s, or something that is no event
   */
  watch(kind: Kind, version: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
  /** Undefined when there is none. */
  get(kind: Kind, place: Place, signal: AbortSignal): Promise<ClusterObject | undefined>;
  /**
   * A strategic merge patch. With `metadata.resourceVersion` in it, it counts for that version only.
   * @returns the object as it is then
   * @throws {ApiRefusal} 409 when it has another version, 404 when it is gone, 422 when the result
   * would not be valid
   * @throws {AnswerLost} when the patch was sent and nobody knows what became of it
   */
  patch(
    kind: Kind,
    place: Place,
    patch: object,
    options: { readonly isDryRun: boolean; readonly signal: AbortSignal },
  ): Promise<ClusterObject>;
  close(): void;
}

export interface Page {
  readonly objects: readonly ClusterObject[];
  /** Of the collection: a watch from there on misses nothing. */
  readonly version: string;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ClusterObject }
  /** Nothing of the kind changed up to `version`. */
  | { readonly type: 'BOOKMARK'; readonly version: string };

/** The API server answered that it will not: `apiStatus` and `reason` are its own. */
export class ApiRefusal extends Unavailable {
  readonly apiStatus: number;
  /** Such as `Conflict`, `Expired`, `Forbidden`; '' when it told none. */
  readonly reason: string;
  readonly retryAfterMs: number;

  constructor(message: string, apiStatus: number, reason: string, retryAfterMs: number = 0) {
    super(message);
    this.apiStatus = apiStatus;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A change was sent, and no answer came. */
export class AnswerLost extends Unavailable {}
