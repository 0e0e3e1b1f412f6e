/** Who signs requests to metrics stores, as the configuration says. */
import { awsSigner } from '../../buckets/index.ts';
import type { OpenStoreOptions } from '../../metrics/index.ts';
import { Fault } from '../../query/index.ts';
import { cloudOptions } from '../../settings/cloud-options.ts';
import type { Config } from '../../settings/config.ts';
import type { MetricsAuth } from '../../settings/metrics.ts';

/** Amazon Managed Service for Prometheus, as signatures name it. */
const SERVICE = 'aps';

/**
 * Stores share the keys that are fetched.
 * @returns nothing for stores whose requests are not signed; throws a Fault where a URL has a user
 */
export function storeSigners(
  config: Config,
): (auth: MetricsAuth | undefined, url: string) => Pick<OpenStoreOptions, 'signer'> {
  const options = cloudOptions(config);
  const signer = awsSigner(SERVICE, options.aws, options);
  return (auth, url) => {
    if (auth === undefined) return {};
    const { username, password } = new URL(url);
    if (username === '' && password === '') return { signer };
    throw new Fault('a user and signatures for one store: it takes one of them', {
      hint: 'leave the user out of the URL, or metrics-auth',
    });
  };
}
