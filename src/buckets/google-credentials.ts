/**
 * Access tokens of Google: of a service account's key, of workload identity federation (both files of
 * GOOGLE_APPLICATION_CREDENTIALS), else of the metadata server, which GKE answers for service accounts.
 */
import { createSign } from 'node:crypto';
import { isLoopback, Unavailable } from '../query/index.ts';
import { answered, tokenIn, type BearerIdentity, type BearerToken } from './bearer-tokens.ts';
import { BUCKET_HINT, Kept } from './bucket.ts';
import type { Call, Outside } from './exchange.ts';
import { member, parseJson, textMember } from './json.ts';
import { readTokenFile } from './token-file.ts';

export interface GoogleOptions {
  /** A JSON file: service_account or external_account. */
  readonly credentialsFile: string | undefined;
  readonly metadataHost: string;
  /** Without a slash at its end. */
  readonly endpoint: string;
}

/** What tokens permit, at most; who may do what in a bucket is said there. */
const SCOPES = {
  read: 'https://www.googleapis.com/auth/devstorage.read_only',
  write: 'https://www.googleapis.com/auth/devstorage.read_write',
} as const;
const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };

export function googleIdentity(
  options: GoogleOptions,
  outside: Outside,
  use: 'read' | 'write' = 'read',
): BearerIdentity {
  const { credentialsFile: path, metadataHost } = options;
  const scope = SCOPES[use];
  const who = { name: 'the service account of the metadata server' };
  const kept = new Kept(async (signal) => {
    if (path === undefined) return await byMetadata(metadataHost, scope, outside, signal);
    const file = parseJson(await readTokenFile(path, 'the credentials of Google'));
    const kind = textMember(file, 'type');
    const account = textMember(file, 'client_email');
    who.name =
      kind === 'service_account' ? `the service account ${account}` : `the identity of ${path}`;
    if (kind === 'service_account') return await byKey({ path, file, scope }, outside, signal);
    if (kind === 'external_account')
      return await byFederation({ path, file, scope }, outside, signal);
    throw new Unavailable(`${path} is no file of service_account or external_account`, {
      hint: BUCKET_HINT,
    });
  }, outside.nowMs);
  return {
    get name() {
      return who.name;
    },
    token: async (signal) => (await kept.get(signal)).token,
    forget: () => kept.forget(),
  };
}

async function byMetadata(
  host: string,
  scope: string,
  outside: Outside,
  signal: AbortSignal,
): Promise<BearerToken> {
  const url = new URL(
    `http://${host}/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(scope)}`,
  );
  const what = `no token from the metadata server ${host}`;
  const call: Call = { method: 'GET', url, headers: { 'metadata-flavor': 'Google' } };
  const options = { signal, timeoutMs: 5000, tries: 3 };
  const answer = await answered(what, outside, call, options);
  // Whatever else listens there does not say so.
  if (answer.headers.get('metadata-flavor') !== 'Google')
    throw new Unavailable(`${what}: what answers is no metadata server of Google`);
  return tokenIn(what, answer, outside);
}

/** A file of credentials, and what is asked for with it. */
interface FileOf {
  readonly path: string;
  readonly file: unknown;
  readonly scope: string;
}

/** A signed claim is changed for a token (https://developers.google.com/identity/protocols/oauth2/service-account). */
async function byKey(
  { path, file, scope }: FileOf,
  outside: Outside,
  signal: AbortSignal,
): Promise<BearerToken> {
  const tokenUrl = secureUrl(path, file, 'token_uri');
  const account = textMember(file, 'client_email');
  const seconds = Math.floor(outside.nowMs() / 1000);
  const head = { alg: 'RS256', typ: 'JWT', kid: textMember(file, 'private_key_id') };
  const claims = {
    iss: account,
    scope,
    aud: tokenUrl.href,
    iat: seconds,
    exp: seconds + 3600,
  };
  const text = [head, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  let signature: string;
  try {
    signature = createSign('RSA-SHA256')
      .update(text)
      .sign(textMember(file, 'private_key'), 'base64url');
  } catch {
    throw new Unavailable(`${path} has no private key that can be read`);
  }
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: `${text}.${signature}`,
  });
  const what = `no token for the service account ${account} from ${tokenUrl.host}`;
  const call: Call = { method: 'POST', url: tokenUrl, headers: FORM, body: body.toString() };
  return tokenIn(what, await answered(what, outside, call, { signal }), outside);
}

/** A token of another issuer is changed for one of Google (https://google.aip.dev/auth/4117). */
async function byFederation(
  { path, file, scope }: FileOf,
  outside: Outside,
  signal: AbortSignal,
): Promise<BearerToken> {
  const tokenUrl = secureUrl(path, file, 'token_url');
  const account = textMember(file, 'service_account_impersonation_url');
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: textMember(file, 'audience'),
    scope: account === '' ? scope : 'https://www.googleapis.com/auth/iam',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: await subjectToken(path, member(file, 'credential_source')),
    subject_token_type: textMember(file, 'subject_token_type'),
  });
  const what = `no token for the identity of ${path} from ${tokenUrl.host}`;
  const call: Call = { method: 'POST', url: tokenUrl, headers: FORM, body: body.toString() };
  const found = tokenIn(what, await answered(what, outside, call, { signal }), outside);
  if (account === '') return found;
  const url = secureUrl(path, file, 'service_account_impersonation_url');
  const name = /\/serviceAccounts\/([^/:]+):/.exec(url.pathname)?.[1] ?? url.host;
  const acting = `${path} cannot act as ${name}`;
  const answer = await answered(
    acting,
    outside,
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${found.token}` },
      body: JSON.stringify({ scope: [scope], lifetime: '3600s' }),
    },
    { signal },
    () =>
      ': it needs the role Workload Identity User (roles/iam.workloadIdentityUser) on that service account',
  );
  const json = parseJson(answer.text);
  const endsMs = Date.parse(textMember(json, 'expireTime'));
  const token = textMember(json, 'accessToken');
  if (token === '' || Number.isNaN(endsMs))
    throw new Unavailable(`${acting}: the answer has no token`);
  return { token, endsMs };
}

async function subjectToken(path: string, source: unknown): Promise<string> {
  const from = textMember(source, 'file');
  if (from === '')
    throw new Unavailable(`${path}: credential_source has no file; only tokens in files are read`, {
      hint: BUCKET_HINT,
    });
  const text = await readTokenFile(from, `the token that ${path} names`);
  const format = member(source, 'format');
  if (textMember(format, 'type') !== 'json') return text;
  const token = textMember(parseJson(text), textMember(format, 'subject_token_field_name'));
  if (token === '') throw new Unavailable(`${from} has no token where ${path} says`);
  return token;
}

/** Tokens go to https alone, or to this machine. */
function secureUrl(path: string, file: unknown, name: string): URL {
  const text = textMember(file, name);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSecure =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (url === undefined || !isSecure)
    throw new Unavailable(`${path}: ${name} is no https URL`, { hint: BUCKET_HINT });
  return url;
}
