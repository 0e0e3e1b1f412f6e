/** What clients ask of the installation, as the configuration describes it. */
import { DEMO_CLUSTER } from '../demo/index.ts';
import type { Route } from '../http/index.ts';
import { installationRoutes, type InstallationOptions } from '../installation/index.ts';
import type { Config } from '../settings/config.ts';
import { bookOf } from './engine.ts';
import { packageVersion } from './package-version.ts';
import { sourceKindOf } from './source-kind.ts';

export function openInstallation(
  config: Config,
  parts: Omit<InstallationOptions, 'about'>,
): Route[] {
  const { clusterId, timezone, nodeTypes, isListOn } = config;
  const sources = {
    bill: true,
    recentBill: true,
    series: true,
    file: nodeTypes !== undefined,
    list: isListOn,
    book: true,
  };
  const about = {
    version: packageVersion(),
    clusterId: sourceKindOf(config) === 'demo' ? DEMO_CLUSTER : clusterId,
    timezone,
    book: bookOf(config),
    sources,
  };
  return installationRoutes({ ...parts, about });
}
