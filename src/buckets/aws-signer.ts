/** Signs requests to services of AWS other than S3, with the keys by which buckets are read. */
import { Unavailable } from '../query/index.ts';
import { awsIdentity, type AwsOptions } from './aws-credentials.ts';
import type { Outside } from './exchange.ts';
import { signed } from './sigv4.ts';

export interface AwsSigner {
  /** @returns headers beside those of the request @throws {Unavailable} where there are no keys */
  headers(
    request: { readonly method: string; readonly url: URL; readonly body: Uint8Array | undefined },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>>;
  /** It was refused: keys are fetched anew, where they are not of the environment. */
  refused(): void;
}

/** As endpoints of services name it: `aps-workspaces.eu-central-1.amazonaws.com`. */
const REGION = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.(?:[\w-]+\.)*amazonaws\.com(?:\.cn)?$/;

/** @param service as signatures name it, such as `aps`; its region is that of the host, else that of the options */
export function awsSigner(service: string, options: AwsOptions, outside: Outside): AwsSigner {
  // An endpoint of buckets elsewhere says nothing of who asks AWS.
  const identity = awsIdentity({ ...options, endpoint: undefined }, outside);
  return {
    async headers({ method, url, body }, signal) {
      const keys = await identity.keys(signal);
      if (keys === undefined)
        throw new Unavailable(`no keys of AWS to sign requests to ${url.host}: ${identity.name}`, {
          hint: 'see docs/install/bills-from-buckets.md',
        });
      const region = REGION.exec(url.hostname)?.[1] ?? options.region;
      return signed(method, url, { ...keys, region }, outside.nowMs(), body, service);
    },
    refused: () => identity.forget(),
  };
}
