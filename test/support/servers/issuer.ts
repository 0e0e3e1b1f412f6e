/** A small issuer of OpenID Connect on this machine, whose keys a test holds. */
import { createServer } from 'node:http';
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
      ...pretended,
    }),
    '/keys': keys,
  };
  const server = createServer((request, reply) => {
    const path = request.url ?? '';
    asked.push(path);
    void Promise.resolve(documents[path]?.()).then((found) => {
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
    sign(claims = {}, header = {}) {
      const seconds = Math.floor(Date.now() / 1000);
      const told = { iss: url(), aud: AUDIENCE, sub: 'u-1', iat: seconds, exp: seconds + 600 };
      return new SignJWT({ ...told, ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid: `k${kid}`, ...header })
        .sign(pair.privateKey);
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
