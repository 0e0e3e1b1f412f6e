/** What claims of an issuer say of a caller: name, roles, and the rows that they may see. */
import type { Caller, Identified, Role } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import type { Claims } from './jwt.ts';
import type { CheckFilter } from './token-file.ts';

export interface ClaimOptions {
  readonly groupsClaim: string;
  /** The claim with the filter of rows that a caller may see; undefined: all see all. */
  readonly filterClaim: string | undefined;
  readonly groupRoles: ReadonlyMap<string, Role>;
  readonly checkFilter: CheckFilter;
}

/** What a claim has where its caller sees all rows. */
const ALL_ROWS = '*';
const NAME = /^\P{Cc}{1,200}$/u;
const NAME_CLAIMS = ['preferred_username', 'email', 'sub'] as const;

export function callerOf(claims: Claims, expiresMs: number, options: ClaimOptions): Identified {
  const { groupsClaim, filterClaim, groupRoles, checkFilter } = options;
  const name = nameOf(claims);
  if (name === undefined) return { why: 'the token names nobody', isRefused: true };
  const groups = textsOf(claims[groupsClaim]);
  const roles = [...new Set(groups.flatMap((group) => groupRoles.get(group) ?? []))];
  const caller: Caller = { name, roles, filter: null, expiresMs, isSignedIn: true };
  if (filterClaim === undefined) return Object.freeze(caller);
  try {
    const filter = filterIn(claims[filterClaim], filterClaim, checkFilter);
    return Object.freeze({ ...caller, filter });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { why: 'the filter of the token is broken', isRefused: true, instead: error };
  }
}

function nameOf(claims: Claims): string | undefined {
  const texts = NAME_CLAIMS.map((claim) => claims[claim]);
  return texts.find((text): text is string => typeof text === 'string' && NAME.test(text));
}

/** A list of texts, or one alone. */
function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}

/** @throws {Fault} 403: who has no filter, or a broken one, must not see everything */
function filterIn(value: unknown, claim: string, check: CheckFilter): string | null {
  if (value === ALL_ROWS) return null;
  const accepted = `a filter of rows such as namespace:"web", or ${ALL_ROWS} for all rows`;
  if (typeof value !== 'string' || value.trim() === '') {
    throw refusedFilter(`the claim ${claim} of the token is not ${accepted}`, undefined);
  }
  try {
    check(value);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    const why = cause.message.replace(/^parameter 'filter': /, '');
    throw refusedFilter(`the claim ${claim} of the token is not ${accepted}: ${why}`, cause);
  }
  return value;
}

function refusedFilter(message: string, cause: unknown): Fault {
  const hint = 'who runs the issuer sets the claim';
  return new Fault(message, { status: 403, parameter: 'filter', hint, cause });
}
