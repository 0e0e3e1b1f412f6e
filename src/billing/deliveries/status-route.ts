/** The bills of one purpose, in the terms of the clients' status pages. */
import { timestamp } from '../../export/index.ts';
import { json, type Route } from '../../http/index.ts';
import type { Purpose } from './bill-key.ts';
import type { Bills, BillSource } from './bills.ts';

/** @param path such as `/cloudCost/status` */
export function statusRoute(path: string, as: Purpose, bills: Pick<Bills, 'sources'>): Route {
  return {
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: { refused: 'bills are of everybody' },
    handle: () => {
      const sources = bills.sources().filter((source) => source.as === as);
      return json({ code: 200, data: sources.map(statusOf) });
    },
  };
}

function statusOf({ source, periods }: BillSource): object {
  const rows = periods.reduce((sum, period) => sum + period.rows, 0);
  const coverage = {
    start: timestamp(Math.min(...periods.map(({ startMs }) => startMs))),
    end: timestamp(Math.max(...periods.map(({ endMs }) => endMs))),
  };
  return {
    key: source,
    source: 'FOCUS',
    active: true,
    valid: true,
    connectionStatus: 'Connection Successful',
    lastRun: timestamp(Math.max(...periods.map(({ storedMs }) => storedMs))),
    runs: periods.length,
    rows,
    coverage,
  };
}
