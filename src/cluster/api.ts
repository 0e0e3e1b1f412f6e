/** The calls to a Kubernetes API server that are used here. rest.ts makes them over a transport. */
import { Unavailable } from '../query/index.ts';
import type { Kind, Place } from './kinds.ts';
import type { ClusterObject } from './objects.ts';

export interface ClusterApi {
  /** Such as `the Kubernetes API at https://10.0.0.1:443`. */
  readonly name: string;
  /**
   * All objects of a kind as of one moment, in pages.
   * @param fields a field selector, such as `spec.nodeName=a`; absent: all
   * @throws {ApiRefusal} 410 when that moment leaves the server's history before the last page
   */
  list(kind: Kind, signal: AbortSignal, fields?: string): AsyncIterable<Page>;
  /**
   * Changes since `version`, over one connection. The server ends it after 5 to 10 minutes.
   * @throws {ApiRefusal} 410 when the server's history does not reach back so far
   * @throws {Unavailable} when nothing came for 75 s, or something that is no event
   */
  watch(
    kind: Kind,
    version: string,
    signal: AbortSignal,
    fields?: string,
  ): AsyncIterable<WatchEvent>;
  /** Undefined when there is no such object. */
  get(kind: Kind, place: Place, signal: AbortSignal): Promise<ClusterObject | undefined>;
  /**
   * A strategic merge patch. With `metadata.resourceVersion` in it, it applies to that version only.
   * @returns the patched object
   * @throws {ApiRefusal} 409 when it has another version, 404 when it is gone, 422 when the result
   * would not be valid
   * @throws {AnswerLost} when the patch was sent, and it is not known whether it was applied
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
  /** The collection's version; a watch from this version misses nothing. */
  readonly version: string;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ClusterObject }
  /** Nothing of the kind changed up to `version`. */
  | { readonly type: 'BOOKMARK'; readonly version: string };

/** The API server refused a call: `apiStatus` and `reason` are its own. */
export class ApiRefusal extends Unavailable {
  readonly apiStatus: number;
  /** Such as `Conflict`, `Expired`, `Forbidden`; '' without one. */
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
