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
  /** Unix ms; null: the right to ask has no end. */
  readonly expiresMs: number | null;
  /** False: nobody has told who asks. */
  readonly isSignedIn: boolean;
}

/** A request whose caller is known. */
export interface AdmittedRequest extends HttpRequest {
  readonly caller: Caller;
}

export type AdmittedHandler = (request: AdmittedRequest) => Promise<HttpReply> | HttpReply;

/** Everybody, where nobody has to sign in. */
export const EVERYBODY: Caller = Object.freeze<Caller>({
  name: 'everybody',
  roles: ['admin'],
  expiresMs: null,
  isSignedIn: false,
});

/** Who has not signed in where one has to. */
export const NOBODY: Caller = Object.freeze<Caller>({
  name: 'nobody',
  roles: [],
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
