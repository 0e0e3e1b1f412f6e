/** What a server does of building and answering: `--role`. */
import type { Route } from '../../http/index.ts';
import { Fault } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import { storeOf } from '../../settings/store.ts';
import { sourceKindOf } from '../source-kind.ts';

/** What a builder answers: how it is, and nothing of costs. */
const OF_BUILDERS: readonly string[] = ['/healthz', '/readyz', '/version', '/metrics', '/diagnostics', '/admin/doctor', '/admin/log-level']; // prettier-ignore

/** @throws {Fault} for a role that has nothing to do as the rest is configured */
export function checkRole(config: Config): void {
  const { role, isReceiving, refreshMs } = config;
  if (role === 'all') return;
  const parameter = '--role';
  const { kind } = storeOf(config);
  if (kind !== 'bucket') {
    const where = {
      memory: 'in memory',
      folder: 'in a folder, which is of one process at a time',
      clickhouse: 'in ClickHouse, where no lease says who builds',
    }[kind];
    throw new Fault(`--role ${role} shares sets with other processes, and they are ${where}`, {
      parameter,
      hint: 'name a store that all of them have, for example --store s3://costs/prorata',
    });
  }
  if (isReceiving) {
    throw new Fault(`--role ${role} receives no samples: whoever has them builds and answers`, {
      parameter,
      hint: 'leave --role out beside --receive',
    });
  }
  if (role === 'serve') return;
  if (sourceKindOf(config) === 'none') {
    throw new Fault('--role build has no metrics store to build from', {
      parameter,
      hint: 'name one, for example --metrics-url http://prometheus:9090',
    });
  }
  if (refreshMs === 0) {
    throw new Fault('--role build builds nothing with --refresh 0', {
      parameter,
      hint: 'leave --refresh out, or name how old today may be, for example --refresh 5m',
    });
  }
}

/** The routes that a server of the role answers. */
export function routesOf({ role }: Pick<Config, 'role'>, routes: readonly Route[]): Route[] {
  return role === 'build' ? routes.filter(({ path }) => OF_BUILDERS.includes(path)) : [...routes];
}
