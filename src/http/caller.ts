/** Who asks, and what they may do. */
import { Fault } from '../query/index.ts';
import type { HttpReply, HttpRequest } from './server.ts';

/** From the least rights to the most: each has the rights of those before it. */
export const ROLES = ['viewer', 'editor', 'operator', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** What a route needs of its callers: a role, or nothing at all. */
export type Needed = Role | 'nobody';

export interface Caller {
  readonly name: string;
  /** Without any, nothing but open routes. */
  readonly roles: readonly Role[];
  /** Rows that the caller may see, as a filter; null: all. */
  readonly filter: string | null;
  /** Whether a caller with a filter sees idle and shared costs, which show what others cost; absent: no. */
  readonly seesIdle?: boolean;
  /** Unix ms; null: the right to ask has no end. */
  readonly expiresMs: number | null;
  /** False: nobody has told who asks. */
  readonly isSignedIn: boolean;
  /** What writes of a browser's session have to show. */
  readonly csrfToken?: string;
}

/** A request whose caller is known. */
export interface AdmittedRequest extends HttpRequest {
  readonly caller: Caller;
  /** Whether `3d` is three whole days where the request does not say; absent: no. */
  readonly isExactDays?: boolean;
}

export type AdmittedHandler = (request: AdmittedRequest) => Promise<HttpReply> | HttpReply;

/**
 * What a route makes of a caller's filter. `joined`: it is joined to the plan, and the recipes of answers hold that
 * it was. `unneeded`: nothing of rows is told. Else callers with a filter are refused, with the reason.
 */
export type Scoping = 'joined' | 'unneeded' | { readonly refused: string };

/** Everybody, where nobody has to sign in. */
export const EVERYBODY: Caller = Object.freeze<Caller>({
  name: 'everybody',
  roles: ['admin'],
  filter: null,
  expiresMs: null,
  isSignedIn: false,
});

/** Who has not signed in where one has to. */
export const NOBODY: Caller = Object.freeze<Caller>({
  name: 'nobody',
  roles: [],
  filter: null,
  expiresMs: null,
  isSignedIn: false,
});

export function hasRole({ roles }: Caller, needed: Needed): boolean {
  if (needed === 'nobody') return true;
  const rank = ROLES.indexOf(needed);
  return roles.some((role) => ROLES.indexOf(role) >= rank);
}

/** @throws {Fault} 403 naming the role that is needed */
export function requireRole(caller: Caller, needed: Needed, what: string): void {
  if (hasRole(caller, needed)) return;
  const own = caller.roles.length === 0 ? 'no role' : `the role ${caller.roles.join(', ')}`;
  throw new Fault(`${what} needs the role ${needed}: ${caller.name} has ${own}`, {
    status: 403,
    parameter: 'role',
    hint: `roles are ${ROLES.join(', ')}, each with the rights of those before it`,
  });
}

/** @throws {Fault} 403 where the route cannot tell apart what the caller may see */
export function requireScoping({ name, filter }: Caller, scoping: Scoping, what: string): void {
  if (filter === null || typeof scoping === 'string') return;
  throw new Fault(`${what} is not for callers with a filter: ${scoping.refused}`, {
    status: 403,
    parameter: 'filter',
    hint: `${name} sees the rows of ${filter}`,
  });
}

/** The same text for callers who get the same answers; null: all rows. */
export function scopeOf({ filter, seesIdle = false }: Caller): string | null {
  return filter === null || !seesIdle ? filter : `${filter}\nidle`;
}

/** A request that is passed on with something added or changed. */
export abstract class PassedOn implements HttpRequest {
  readonly #request: HttpRequest;

  constructor(request: HttpRequest) {
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#request.path;
  }

  get query(): string {
    return this.#request.query;
  }

  get body(): Uint8Array {
    return this.#request.body;
  }

  get visit(): HttpRequest['visit'] {
    return this.#request.visit;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  header(name: string): string {
    return this.#request.header(name);
  }
}
