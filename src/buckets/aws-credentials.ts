/**
 * Where keys of AWS come from, the first that is there: keys of the environment, a web identity token
 * (EKS, roles of service accounts), the agent of EKS Pod Identity, the metadata of the instance.
 */
import { isLoopback, Unavailable } from '../query/index.ts';
import { BUCKET_HINT, Kept } from './bucket.ts';
import { ask, clockSkew, unanswered, type Answer, type Call, type Outside } from './exchange.ts';
import { codeIn, parseJson, textMember } from './json.ts';
import type { AwsCredentials } from './sigv4.ts';
import { readTokenFile } from './token-file.ts';
import { textOf } from './xml.ts';

export interface AwsOptions {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  /** The region where buckets are looked for first. */
  readonly region: string;
  /** Without a slash at its end; undefined: AWS. */
  readonly endpoint: string | undefined;
  readonly stsEndpoint: string | undefined;
  readonly roleArn: string | undefined;
  readonly webIdentityTokenFile: string | undefined;
  readonly roleSessionName: string;
  readonly containerUrl: string | undefined;
  readonly containerTokenFile: string | undefined;
  readonly metadataUrl: string | undefined;
  readonly isMetadataOff: boolean;
}

export interface AwsIdentity {
  /** As it is told in errors. */
  readonly name: string;
  /** Undefined: there are no keys, and requests are not signed. */
  keys(signal: AbortSignal): Promise<AwsKeys | undefined>;
  forget(): void;
}

/** They are of no region. */
type AwsKeys = Omit<AwsCredentials, 'region'>;
type EndingKeys = AwsKeys & { readonly endsMs: number };

const METADATA_URL = 'http://169.254.169.254';
const METADATA_MS = 2000;
/** What answers plain HTTP at these addresses is on this node. */
const AGENTS: readonly string[] = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'];

export function awsIdentity(options: AwsOptions, outside: Outside): AwsIdentity {
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    const keys = { accessKeyId, secretAccessKey, sessionToken };
    const name = 'the access key of AWS_ACCESS_KEY_ID';
    return { name, keys: () => Promise.resolve(keys), forget: () => undefined };
  }
  const { roleArn, webIdentityTokenFile: tokenFile } = options;
  if (roleArn !== undefined && tokenFile !== undefined) {
    const fetched = new Kept(
      (signal) => byWebIdentity({ ...options, roleArn, tokenFile }, outside, signal),
      outside.nowMs,
    );
    return identityOf(`the role ${roleArn}`, fetched);
  }
  const { containerUrl } = options;
  if (containerUrl !== undefined) {
    const fetched = new Kept(
      (signal) => byAgent(containerUrl, options.containerTokenFile, outside, signal),
      outside.nowMs,
    );
    return identityOf('the role of EKS Pod Identity', fetched);
  }
  // Another store than AWS has no metadata of its own; there requests are not signed.
  const isOff =
    options.isMetadataOff || (options.endpoint !== undefined && options.metadataUrl === undefined);
  if (isOff) return anonymous();
  return byInstance(options.metadataUrl ?? METADATA_URL, outside);
}

function identityOf(name: string, kept: Kept<EndingKeys>): AwsIdentity {
  return { name, keys: (signal) => kept.get(signal), forget: () => kept.forget() };
}

function anonymous(): AwsIdentity {
  return {
    name: 'nobody (there are no credentials)',
    keys: () => Promise.resolve(undefined),
    forget: () => undefined,
  };
}

/** The domain of a region: China has its own. */
export function awsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

async function byWebIdentity(
  options: AwsOptions & { readonly roleArn: string; readonly tokenFile: string },
  outside: Outside,
  signal: AbortSignal,
): Promise<EndingKeys> {
  const { roleArn, region, tokenFile } = options;
  const token = await readTokenFile(tokenFile, 'the web identity token of AWS');
  const sts =
    options.stsEndpoint ?? options.endpoint ?? `https://sts.${region}.${awsDomain(region)}`;
  const form = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: options.roleSessionName,
    WebIdentityToken: token,
  });
  const call: Call = {
    method: 'POST',
    url: new URL(`${sts}/`),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/xml' },
    body: form.toString(),
  };
  const what = `no keys for the role ${roleArn} from ${new URL(sts).host}`;
  const answer = await ask(outside, () => Promise.resolve(call), { signal }).catch(
    (cause: unknown) => {
      throw unanswered(what, cause);
    },
  );
  if (answer.status !== 200) {
    const code = codeIn(textOf(answer.text, 'Code'));
    const skew = clockSkew(answer, outside.nowMs());
    throw new Unavailable(`${what}: ${answer.status} ${code}${STS_HINTS[code] ?? ''}${skew}`, {
      hint: BUCKET_HINT,
    });
  }
  return keysIn(what, {
    accessKeyId: textOf(answer.text, 'AccessKeyId'),
    secretAccessKey: textOf(answer.text, 'SecretAccessKey'),
    sessionToken: textOf(answer.text, 'SessionToken'),
    expiration: textOf(answer.text, 'Expiration'),
  });
}

const STS_HINTS: Readonly<Record<string, string>> = {
  AccessDenied:
    ': the trust policy of the role must permit sts:AssumeRoleWithWebIdentity to this service account',
  InvalidIdentityToken:
    ': the account of the role must know the OIDC provider of this cluster, and the token must be for sts.amazonaws.com',
  ExpiredTokenException: ': the token file is not renewed',
};

async function byAgent(
  address: string,
  tokenFile: string | undefined,
  outside: Outside,
  signal: AbortSignal,
): Promise<EndingKeys> {
  const url = new URL(address);
  const isHere = AGENTS.includes(url.hostname) || isLoopback(url.hostname);
  const what = `no keys from the agent of EKS Pod Identity at ${url.host}`;
  if (url.protocol !== 'https:' && !isHere)
    throw new Unavailable(`${what}: only https, or an address of this node, is asked for keys`);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (tokenFile !== undefined)
    headers['authorization'] = await readTokenFile(tokenFile, 'the token of EKS Pod Identity');
  const call: Call = { method: 'GET', url, headers };
  const answer = await ask(outside, () => Promise.resolve(call), { signal, timeoutMs: 5000 }).catch(
    (cause: unknown) => {
      throw unanswered(what, cause);
    },
  );
  if (answer.status !== 200)
    throw new Unavailable(
      `${what}: ${answer.status}: the cluster needs the add-on eks-pod-identity-agent, and an association of this service account with a role`,
      { hint: BUCKET_HINT },
    );
  return jsonKeys(what, answer);
}

/** Keys of the instance's role, by IMDSv2; none where nothing answers, as outside of AWS. */
function byInstance(origin: string, outside: Outside): AwsIdentity {
  const state = { isThere: true };
  const kept = new Kept((signal) => instanceKeys(origin, outside, signal), outside.nowMs);
  return {
    get name() {
      return state.isThere
        ? 'the role of the instance'
        : 'nobody (there are no credentials: no keys, no role of a service account, and no metadata of an instance)';
    },
    forget: () => kept.forget(),
    async keys(signal) {
      const keys = await kept.get(signal);
      state.isThere = keys.accessKeyId !== '';
      return state.isThere ? keys : undefined;
    },
  };
}

const NO_KEYS = { accessKeyId: '', secretAccessKey: '', sessionToken: undefined };
/** So long it is not asked again whether there is metadata. */
const ABSENT_MS = 15 * 60_000;

async function instanceKeys(
  origin: string,
  outside: Outside,
  signal: AbortSignal,
): Promise<EndingKeys> {
  const what = 'no keys from the metadata of the instance';
  const asked = (
    method: 'GET' | 'PUT',
    path: string,
    headers: Record<string, string>,
  ): Promise<Answer> =>
    ask(outside, () => Promise.resolve({ method, url: new URL(`${origin}${path}`), headers }), {
      signal,
      timeoutMs: METADATA_MS,
      tries: 2,
    });
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' };
  const session = await asked('PUT', '/latest/api/token', ttl).catch(() => undefined);
  if (session?.status !== 200) return { ...NO_KEYS, endsMs: outside.nowMs() + ABSENT_MS };
  const token = { 'x-aws-ec2-metadata-token': session.text };
  const roles = '/latest/meta-data/iam/security-credentials/';
  try {
    const role = await asked('GET', roles, token);
    const name = codeIn(role.text.split('\n')[0]?.trim());
    if (role.status !== 200 || name === '')
      throw new Error(`${role.status}: the instance has no role`);
    const answer = await asked('GET', `${roles}${name}`, token);
    if (answer.status !== 200) throw new Error(`${answer.status} for the role ${name}`);
    return jsonKeys(what, answer);
  } catch (cause) {
    if (cause instanceof Unavailable) throw cause;
    throw unanswered(what, cause, BUCKET_HINT);
  }
}

function jsonKeys(what: string, { text }: Answer): EndingKeys {
  const json = parseJson(text);
  return keysIn(what, {
    accessKeyId: textMember(json, 'AccessKeyId'),
    secretAccessKey: textMember(json, 'SecretAccessKey'),
    sessionToken: textMember(json, 'Token'),
    expiration: textMember(json, 'Expiration'),
  });
}

interface FoundKeys {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly expiration: string | undefined;
}

function keysIn(what: string, found: FoundKeys): EndingKeys {
  const { accessKeyId = '', secretAccessKey = '', sessionToken = '', expiration = '' } = found;
  const endsMs = Date.parse(expiration);
  if (accessKeyId === '' || secretAccessKey === '' || Number.isNaN(endsMs))
    throw new Unavailable(`${what}: the answer has no keys`);
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: sessionToken === '' ? undefined : sessionToken,
    endsMs,
  };
}
