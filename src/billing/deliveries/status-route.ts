/** The bills of one purpose, in the terms of the clients' status pages. */
import { timestamp } from '../../export/index.ts';
import { json, type Dialect, type Route } from '../../http/index.ts';
import type { Purpose } from './bill-key.ts';
import type { BillPeriod, Bills, BillSource } from './bills.ts';

/** @param path such as `/cloudCost/status` */
export function statusRoute(
  path: string,
  as: Purpose,
  bills: Pick<Bills, 'sources'>,
  dialect?: Dialect,
): Route {
  return {
    method: 'GET',
    path,
    ...(dialect === undefined ? {} : { dialect }),
    needs: 'viewer',
    scoping: { refused: 'bills are of everybody' },
    handle: () => {
      const sources = bills.sources().filter((source) => source.as === as);
      return json({ code: 200, data: sources.map(statusOf) });
    },
  };
}

/**
 * The status that OpenCost gives of all external costs together
 * (https://github.com/opencost/opencost/blob/develop/pkg/customcost/status.go).
 */
export function customCostStatusRoute(bills: Pick<Bills, 'sources'>): Route {
  return {
    method: 'GET',
    path: '/customCost/status',
    dialect: 'opencost',
    needs: 'viewer',
    scoping: { refused: 'bills are of everybody' },
    handle: () => {
      const sources = bills.sources().filter(({ as }) => as === 'external');
      const isEnabled = sources.length > 0;
      const periods = sources.flatMap((source) => source.periods);
      const data = {
        enabled: isEnabled,
        domains: sources.map(({ source }) => source),
        active: isEnabled,
        valid: isEnabled,
        ...(isEnabled ? { lastRun: lastRun(periods), connectionStatus: CONNECTED } : {}),
        runs: periods.length,
        coverageHourly: {},
        coverageDaily: Object.fromEntries(sources.map((each) => [each.source, coverageOf(each)])),
      };
      return json({ code: 200, data });
    },
  };
}

const CONNECTED = 'Connection Successful';

function lastRun(periods: readonly BillPeriod[]): string {
  return timestamp(Math.max(...periods.map(({ storedMs }) => storedMs)));
}

function coverageOf({ periods }: BillSource): object {
  return {
    start: timestamp(Math.min(...periods.map(({ startMs }) => startMs))),
    end: timestamp(Math.max(...periods.map(({ endMs }) => endMs))),
  };
}

function statusOf(of: BillSource): object {
  const { source, periods } = of;
  const rows = periods.reduce((sum, period) => sum + period.rows, 0);
  return {
    key: source,
    source: 'FOCUS',
    active: true,
    valid: true,
    connectionStatus: CONNECTED,
    lastRun: lastRun(periods),
    runs: periods.length,
    rows,
    coverage: coverageOf(of),
  };
}
