/**
 * Access tokens of Azure storage: by the token of a service account, which Microsoft Entra takes for a client's
 * assertion (workload identity), else of the managed identity of the node.
 */
import { answered, tokenIn, type BearerIdentity, type BearerToken } from './bearer-tokens.ts';
import { Kept } from './bucket.ts';
import type { Call, Outside } from './exchange.ts';
import { readTokenFile } from './token-file.ts';

export interface AzureOptions {
  readonly clientId: string | undefined;
  readonly tenantId: string | undefined;
  readonly federatedTokenFile: string | undefined;
  /** Microsoft Entra, without a slash at its end. */
  readonly authority: string;
  readonly metadataUrl: string;
  /** URL of an account, `{account}` in place of its name. */
  readonly endpoint: string;
}

const SCOPE = 'https://storage.azure.com/.default';
const RESOURCE = 'https://storage.azure.com/';
const HINTS: Readonly<Record<string, string>> = {
  AADSTS70021:
    ': no federated credential of the identity has this issuer and subject, system:serviceaccount:NAMESPACE:NAME',
  AADSTS700211: ': no federated credential of the identity has the issuer of this cluster',
  AADSTS700213:
    ': no federated credential of the identity has this subject, system:serviceaccount:NAMESPACE:NAME',
  AADSTS700024: ': the token file is not renewed, or a clock is wrong',
  AADSTS700016: ': there is no such identity in this tenant',
};

/** Entra's number is the last word. */
const adviceOf = (code: string): string => HINTS[code.split(' ').at(-1) ?? ''] ?? '';

export function azureIdentity(options: AzureOptions, outside: Outside): BearerIdentity {
  const { clientId, tenantId, federatedTokenFile: tokenFile } = options;
  const isFederated =
    clientId !== undefined && tenantId !== undefined && tokenFile !== undefined
      ? { clientId, tenantId, tokenFile }
      : undefined;
  const kept = new Kept(
    (signal) =>
      isFederated === undefined
        ? byManagedIdentity(options, outside, signal)
        : byAssertion({ ...options, ...isFederated }, outside, signal),
    outside.nowMs,
  );
  const kind = isFederated === undefined ? 'the managed identity' : 'the workload identity';
  return {
    name: clientId === undefined ? kind : `${kind} ${clientId}`,
    token: async (signal) => (await kept.get(signal)).token,
    forget: () => kept.forget(),
  };
}

interface Federated {
  readonly clientId: string;
  readonly tenantId: string;
  readonly tokenFile: string;
  readonly authority: string;
}

async function byAssertion(
  { clientId, tenantId, tokenFile, authority }: Federated,
  outside: Outside,
  signal: AbortSignal,
): Promise<BearerToken> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    scope: SCOPE,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await readTokenFile(tokenFile, 'the federated token of Azure'),
  });
  const url = new URL(`${authority}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`);
  const what = `no token for the workload identity ${clientId} from ${url.host}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const call: Call = { method: 'POST', url, headers, body: body.toString() };
  return tokenIn(what, await answered(what, outside, call, { signal }, adviceOf), outside);
}

async function byManagedIdentity(
  { clientId, metadataUrl }: AzureOptions,
  outside: Outside,
  signal: AbortSignal,
): Promise<BearerToken> {
  const url = new URL(`${metadataUrl}/metadata/identity/oauth2/token`);
  url.searchParams.set('api-version', '2018-02-01');
  url.searchParams.set('resource', RESOURCE);
  if (clientId !== undefined) url.searchParams.set('client_id', clientId);
  const what = 'no token of a managed identity';
  const call: Call = { method: 'GET', url, headers: { metadata: 'true' } };
  const options = { signal, timeoutMs: 5000, tries: 3 };
  return tokenIn(what, await answered(what, outside, call, options, adviceOf), outside);
}
