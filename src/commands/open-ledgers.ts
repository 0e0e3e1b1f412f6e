/** What bills that are kept are asked: cloud costs and external costs. */
import type { Bills } from '../bills/index.ts';
import { cloudRoutes } from '../cloud/index.ts';
import { externalRoutes } from '../external/index.ts';
import type { Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import type { Window } from '../query/index.ts';
import type { Sets, StoredSet } from '../storage/index.ts';
import type { Engine } from './engine.ts';

/** Each is one task, and may read months of bills. */
const LEDGER_QUERIES = { waiting: 256, waitMs: 10_000 };

/** Kind of the stored sets that tell what clusters had. */
const ASSETS = 'assets';

/** What cloud costs and external costs are read from. */
interface Ledgers {
  readonly bills: Bills;
  readonly sets: Sets;
}

export function openLedgers(engine: Engine, { bills, sets }: Ledgers): Route[] {
  const admission = createAdmission({ ...LEDGER_QUERIES, running: 4 * engine.pool.threads });
  const assets = ({ startMs, endMs }: Window): StoredSet[] =>
    sets
      .list(ASSETS)
      .filter(({ key, damage }) => key.startMs < endMs && key.endMs > startMs && !damage)
      .flatMap(({ key }) => sets.locate(key) ?? []);
  return [
    ...cloudRoutes({
      ...engine,
      admission,
      sets: { charges: (window) => bills.stored('cloud', window), assets },
    }),
    ...externalRoutes({
      ...engine,
      admission,
      charges: { stored: (window) => bills.stored('external', window) },
    }),
  ];
}
