/** What bills that are kept are asked: cloud costs and external costs, and who may push some. */
import { readFileSync } from 'node:fs';
import { statusRoute, type Bills } from '../bills/index.ts';
import { cloudRoutes, type KnownAssets } from '../cloud/index.ts';
import type { Config } from '../config.ts';
import { externalRoutes, JoinedDays, pushRoute } from '../external/index.ts';
import type { Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import { Unavailable, type Window } from '../query/index.ts';
import { DamagedSet, type Sets, type StoredSet } from '../storage/index.ts';
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

export function openLedgers(config: Config, engine: Engine, { bills, sets }: Ledgers): Route[] {
  const admission = createAdmission({ ...LEDGER_QUERIES, running: 4 * engine.pool.threads });
  const assets = ({ startMs, endMs }: Window): KnownAssets => {
    const infos = sets.list(ASSETS).filter(({ key }) => key.startMs < endMs && key.endMs > startMs);
    const stored = infos
      .filter(({ damage }) => damage === undefined)
      .flatMap(({ key }) => sets.locate(key) ?? []);
    const lacking = infos.flatMap(({ key, damage, insteadOf }) => {
      const why = damage ?? insteadOf;
      return why === undefined ? [] : [new DamagedSet(key, why).message];
    });
    return { stored, lacking };
  };
  const setAside = async (stored: readonly StoredSet[]): Promise<void> => {
    for (const set of stored) await sets.setAside(set);
  };
  return [
    ...cloudRoutes({
      ...engine,
      admission,
      sets: { charges: (window) => bills.stored('cloud', window), assets, setAside },
    }),
    ...externalRoutes({
      ...engine,
      admission,
      charges: { stored: (window) => bills.stored('external', window) },
    }),
    statusRoute('/cloudCost/status', 'cloud', bills),
    statusRoute('/customCost/status', 'external', bills),
    pushRoute({ ...engine, bills, token: tokenOf(config) }),
  ];
}

/** External costs as allocations ask for them. */
export function openJoinedDays(config: Config, engine: Engine, bills: Bills): JoinedDays {
  return new JoinedDays({
    ...engine,
    charges: { stored: (window) => bills.stored('external', window) },
    tags: config.externalTags,
    budgetBytes: engine.memory.joinedBytes,
  });
}

/** A file is read for every push: tokens are renewed. */
function tokenOf({ customCostToken, customCostTokenFile: path }: Config): () => string | undefined {
  if (path === undefined) return () => customCostToken;
  return () => {
    try {
      return readFileSync(path, 'utf8').trim() || undefined;
    } catch (cause) {
      throw new Unavailable(`cannot read the token of pushes from ${path}`, { cause });
    }
  };
}
