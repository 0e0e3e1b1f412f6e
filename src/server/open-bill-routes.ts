/** Routes over stored bills: cloud costs, external costs, and pushes. */
import { storedAssets } from '../allocation/index.ts';
import { customCostStatusRoute, statusRoute, type Bills } from '../billing/deliveries/index.ts';
import { cloudRoutes, type KnownAssets } from '../billing/cloud/index.ts';
import type { Config } from '../settings/config.ts';
import {
  externalRoutes,
  JoinedDays,
  pushRoute,
  type ExternalOptions,
} from '../billing/external/index.ts';
import type { Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import type { Clock, Window } from '../query/index.ts';
import type { Sets, StoredSet } from '../storage/index.ts';
import type { Engine, EngineCompute } from './engine.ts';
import { pushTokenOf } from './access/open-tokens.ts';

/** Each is one task, and may read months of bills. */
const BILL_QUERIES = { lane: 'questions of bills', waiting: 256, waitMs: 10_000 };

/** Sources of cloud costs and external costs. */
interface BillSources {
  readonly bills: Bills;
  readonly sets: Sets;
  readonly compute: EngineCompute;
  readonly clock: Clock;
}

export function openBillRoutes(
  config: Config,
  { bills, sets, compute, clock }: BillSources,
): Route[] {
  const admission = createAdmission({ ...BILL_QUERIES, running: 4 * compute.pool.threads });
  const assets = ({ startMs, endMs }: Window): KnownAssets =>
    storedAssets(sets, (window) => window.startMs < endMs && window.endMs > startMs);
  const setAside = async (stored: readonly StoredSet[]): Promise<void> => {
    for (const set of stored) await sets.setAside(set);
  };
  return [
    ...cloudRoutes({
      compute,
      clock,
      admission,
      sets: {
        charges: (window) => bills.stored('cloud', window),
        untold: (window) => bills.untold('cloud', window),
        assets,
        setAside,
      },
    }),
    ...externalRoutes({
      compute,
      clock,
      admission,
      charges: externalCharges(bills),
    }),
    statusRoute('/cloudCost/status', 'cloud', bills),
    statusRoute('/customCost/status', 'external', bills, 'kubecost'),
    customCostStatusRoute(bills),
    pushRoute({ compute, clock, bills, token: pushTokenOf(config) }),
  ];
}

function externalCharges(bills: Bills): ExternalOptions['charges'] {
  return {
    stored: (window) => bills.stored('external', window),
    untold: (window) => bills.untold('external', window),
  };
}

/** External costs beside allocations. */
export function openJoinedDays(
  config: Config,
  { compute, memory }: Engine,
  bills: Bills,
): JoinedDays {
  return new JoinedDays({
    compute,
    charges: externalCharges(bills),
    tags: config.externalTags,
    budgetBytes: memory.joinedBytes,
  });
}
