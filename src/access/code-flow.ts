/**
 * The authorization code flow with PKCE: https://openid.net/specs/openid-connect-core-1_0.html#CodeFlowAuth,
 * https://www.rfc-editor.org/rfc/rfc7636
 */
import { createHash, randomBytes } from 'node:crypto';
import { Fault } from '../query/index.ts';
import type { Issuer } from './issuer.ts';
import { verifierOf, type Claims } from './jwt.ts';

export interface ClientOptions {
  readonly issuer: Issuer;
  readonly clientId: string;
  /** The current one; undefined: a public client. @throws {Unavailable} when it cannot be read */
  readonly clientSecret: () => string | undefined;
  readonly redirectUri: string;
  readonly nowMs: () => number;
  readonly cooldownMs: number;
}

/** What the one who began has to show at the end. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  /** The preimage of the challenge: a code is of no use without it. */
  readonly verifier: string;
}

export interface CodeFlow {
  /** Where a browser signs in. @throws {Unavailable} when the issuer cannot be asked */
  begin(attempt: Attempt): Promise<string>;
  /** @throws {Fault} 403 where the issuer does not take the code, or tells of another sign-in */
  finish(attempt: Attempt, code: string): Promise<Claims>;
}

export function newAttempt(): Attempt {
  const random = (): string => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), verifier: random() };
}

export function codeFlow(options: ClientOptions): CodeFlow {
  const { issuer, clientId, redirectUri } = options;
  const verify = verifierOf({ ...options, audience: clientId });
  return {
    async begin({ state, nonce, verifier }) {
      const { authorizationEndpoint } = await issuer.document();
      if (authorizationEndpoint === undefined) throw issuer.lacks('authorization_endpoint');
      const url = new URL(authorizationEndpoint);
      const asked = {
        response_type: 'code',
        scope: 'openid profile email',
        client_id: clientId,
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
      return url.href;
    },
    async finish({ nonce, verifier }, code) {
      const token = await exchange(options, code, verifier);
      const verified = await verify(token);
      if ('why' in verified) throw refusedSignIn(verified.why);
      const { claims } = verified;
      if (claims['nonce'] !== nonce) throw refusedSignIn('the token is that of another sign-in');
      if ((claims['azp'] ?? clientId) !== clientId) {
        throw refusedSignIn('the token is for another client');
      }
      return claims;
    },
  };
}

/** The ID token for a code. */
async function exchange(
  { issuer, clientId, clientSecret, redirectUri }: ClientOptions,
  code: string,
  verifier: string,
): Promise<string> {
  const { tokenEndpoint } = await issuer.document();
  if (tokenEndpoint === undefined) throw issuer.lacks('token_endpoint');
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  });
  const secret = clientSecret();
  const headers = new Headers();
  if (secret !== undefined) headers.set('authorization', basic(clientId, secret));
  const found = await issuer.post(tokenEndpoint, body, headers);
  if (found === undefined) throw refusedSignIn('the issuer does not take the code');
  const { id_token: token } = Object(found) as Record<string, unknown>;
  if (typeof token !== 'string') throw refusedSignIn('the issuer gives no id_token');
  return token;
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
function basic(clientId: string, secret: string): string {
  const pair = [clientId, secret].map((part) => encodeURIComponent(part)).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

export function refusedSignIn(why: string): Fault {
  return new Fault(`nobody is signed in: ${why}`, {
    status: 403,
    parameter: 'code',
    hint: 'begin again at /login',
  });
}
