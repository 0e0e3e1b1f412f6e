/** A small issuer of OpenID Connect on this machine, whose keys a test holds. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'; // prettier-ignore

export interface TestIssuer {
  readonly url: string;
  readonly audience: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
  /** The public key that signs now. */
  publicKey(): CryptoKey;
  /** Signs claims; what is not told is that of a good token, of somebody without groups. */
  sign(
    claims?: Readonly<Record<string, unknown>>,
    header?: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): Promise<void>;
  /** Signs a user in, as its page would: where it leads their browser to. @param authorize where `/login` leads */
  signIn(authorize: string, claims?: Readonly<Record<string, unknown>>): string;
  /** What its configuration tells instead. */
  pretend(document: object): void;
  stop(): Promise<void>;
  /** Listens again where it did. */
  start(): Promise<void>;
}

export const AUDIENCE = 'prorata';
const ALGORITHM = 'ES256';

export async function startIssuer(): Promise<TestIssuer> {
  const asked: string[] = [];
  let pair = await generateKeyPair(ALGORITHM);
  let kid = 0;
  let pretended: object = {};
  let port = 0;
  const url = (): string => `http://127.0.0.1:${port}`;
  const keys = async (): Promise<{ keys: JWK[] }> => ({
    keys: [{ ...(await exportJWK(pair.publicKey)), kid: `k${kid}`, alg: ALGORITHM, use: 'sig' }],
  });
  const documents: Readonly<Record<string, () => unknown>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url(),
      jwks_uri: `${url()}/keys`,
      authorization_endpoint: `${url()}/authorize`,
      token_endpoint: `${url()}/token`,
      ...pretended,
    }),
    '/keys': keys,
  };
  const sign: TestIssuer['sign'] = (claims = {}, header = {}) => {
    const seconds = Math.floor(Date.now() / 1000);
    const told = { iss: url(), aud: AUDIENCE, sub: 'u-1', iat: seconds, exp: seconds + 600 };
    return new SignJWT({ ...told, ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid: `k${kid}`, ...header })
      .sign(pair.privateKey);
  };
  const codes = new Map<string, Granted>();
  const server = createServer((request, reply) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = path === '/token' ? tokenFor(request, codes, sign) : documents[path]?.();
    void Promise.resolve(answer).then((found) => {
      if (found === null) reply.writeHead(400).end('{"error":"invalid_grant"}');
      if (found === null) return;
      reply.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
      reply.end(JSON.stringify(found));
    });
  });
  const start = async (): Promise<void> => {
    await new Promise<void>((done) => void server.listen(port, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  };
  await start();
  return {
    url: url(),
    audience: AUDIENCE,
    asked,
    publicKey: () => pair.publicKey,
    sign,
    signIn(authorize, claims = {}) {
      const { searchParams: told } = new URL(authorize);
      const code = randomUUID();
      const nonce = told.get('nonce');
      codes.set(code, { told, claims: { aud: told.get('client_id'), nonce, ...claims } });
      const back = new URL(told.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', told.get('state') ?? '');
      return back.href;
    },
    async rotate() {
      pair = await generateKeyPair(ALGORITHM);
      kid++;
    },
    pretend: (document) => void (pretended = document),
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    start,
  };
}

/** What a code stands for. */
interface Granted {
  /** Parameters of the request that it answers. */
  readonly told: URLSearchParams;
  readonly claims: Readonly<Record<string, unknown>>;
}

export const CLIENT_SECRET = 'a secret/of:the client';

/** Each code once, for the client, the redirect and the preimage of the challenge that it was given for; else null. */
async function tokenFor(
  request: IncomingMessage,
  codes: Map<string, Granted>,
  sign: TestIssuer['sign'],
): Promise<object | null> {
  const form = new URLSearchParams(await text(request));
  const code = form.get('code') ?? '';
  const granted = codes.get(code);
  codes.delete(code);
  if (granted === undefined) return null;
  const { told, claims } = granted;
  const pair = `${told.get('client_id')}:${encodeURIComponent(CLIENT_SECRET)}`;
  const expected = `Basic ${Buffer.from(pair).toString('base64')}`;
  const verifier = form.get('code_verifier') ?? '';
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const isRight =
    request.headers.authorization === expected &&
    told.get('response_type') === 'code' &&
    told.get('code_challenge_method') === 'S256' &&
    told.get('code_challenge') === challenge &&
    told.get('redirect_uri') === form.get('redirect_uri');
  return isRight ? { id_token: await sign(claims), token_type: 'Bearer' } : null;
}
