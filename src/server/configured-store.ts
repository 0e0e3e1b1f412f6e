/** The metrics store as the configuration describes it. */
import type { Config } from '../settings/config.ts';
import { createCredentials, openStore, readTls, type OpenStore } from '../metrics/index.ts';

/**
 * The first read finds out which reader suits the store, unless the configuration names one.
 * @throws {Fault} for credentials that contradict one another or files that cannot be read
 */
export function openConfiguredStore(
  config: Config,
  url: string,
  { idleTimeoutMs, onRetry }: { readonly idleTimeoutMs: number; readonly onRetry?: () => void },
): OpenStore {
  return openStore({
    url,
    reader: config.metricsReader,
    idleTimeoutMs,
    onRetry,
    totalTimeoutMs: config.readTimeoutMs,
    ...(config.isMemoryChecked ? { isMemoryChecked: true } : {}),
    credentials: createCredentials({
      user: config.metricsUser,
      password: config.metricsPassword,
      passwordFile: config.metricsPasswordFile,
      token: config.metricsToken,
      tokenFile: config.metricsTokenFile,
      tenant: config.metricsTenant,
      headers: config.metricsHeader,
    }),
    tls: readTls({
      caFile: config.metricsCaFile,
      certFile: config.metricsCertFile,
      keyFile: config.metricsKeyFile,
    }),
  });
}
