/** What bills that are kept are asked: external costs. */
import type { Bills } from '../bills/index.ts';
import { externalRoutes } from '../external/index.ts';
import type { Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import type { Engine } from './engine.ts';

/** Each is one task, and may read months of bills. */
const LEDGER_QUERIES = { waiting: 256, waitMs: 10_000 };

export function openLedgers(engine: Engine, bills: Bills): Route[] {
  const admission = createAdmission({ ...LEDGER_QUERIES, running: 4 * engine.pool.threads });
  return externalRoutes({
    ...engine,
    admission,
    charges: { stored: (window) => bills.stored('external', window) },
  });
}
