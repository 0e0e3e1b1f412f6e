/** What is allocated now and what it costs an hour: the on-demand pipeline over the last minutes. */
import { withOwner } from '../../columnar/index.ts';
import type { Compute } from '../../pool/index.ts';
import { compute } from '../compute/on-demand.ts';
import type { Metrics } from '../compute/priced-store.ts';
import type { QueryCompute } from '../compute/query.ts';
import type { ComputeTasks } from '../compute/tasks.ts';
import { ledgerSet, type SumsPlan } from '../params/plan.ts';
import type { RatesTasks } from './tasks.ts';
import type { LeftOut, RatesInput } from './write-rates.ts';

export interface RatesOptions {
  readonly compute: Compute<ComputeTasks & RatesTasks> & Pick<QueryCompute, 'running'>;
  readonly metrics: Metrics;
}

export interface Rates {
  /** Families of metrics in Prometheus' text format. */
  readonly text: Uint8Array;
  readonly leftOut: LeftOut;
}

/** Averages over so long: several scrapes of the usual intervals. */
const WINDOW_MS = 5 * 60_000;
/** Samples of the last minute may not be there yet. */
const SETTLED_MS = 60_000;

/**
 * @param limits how many series of each kind there may be
 * @throws {NoSamples} (refusals.ts) the store has no pods
 * @throws {Fault} more than memory holds (422)
 * @throws {Unavailable} the store failed
 */
export async function computeRates(
  options: RatesOptions,
  nowMs: number,
  limits: Pick<RatesInput, 'rowsMax' | 'clusterLabel'>,
  signal: AbortSignal,
): Promise<Rates> {
  const { compute: memory, metrics } = options;
  const { arena, pool, running } = memory;
  const plan = planOf(nowMs);
  return await withOwner(memory, async (keeper) => {
    running.add(keeper);
    try {
      const { accounts, nodes, assets, egress } = await compute(options, plan, keeper, signal);
      const { clusterId } = metrics;
      const sums = { accounts, nodes, assets, egress, set: ledgerSet(plan, 0) };
      return await withOwner(memory, async (owner) => {
        const input = { ...sums, ...limits, clusterId, owner, keeper };
        const { address, bytes, leftOut } = await pool.run('writeRates', input, signal);
        return { text: arena.u8(address, bytes).slice(), leftOut };
      });
    } finally {
      running.delete(keeper);
    }
  });
}

function planOf(nowMs: number): SumsPlan {
  const endMs = nowMs - SETTLED_MS;
  const window = { startMs: endMs - WINDOW_MS, endMs };
  return {
    window,
    sets: [window],
    isByCalendar: false,
    resolutionMs: 0,
    billsNodes: true,
    buildsSets: true,
    nowMs,
  };
}
