/**
 * The table of fleets: one row a hazard of real clusters. Each stands in its own `cluster_id`, so that
 * one Prometheus holds them all.
 *
 * What the closed forms take for granted of the engine: a gauge holds from its sample to the next,
 * the first also back to the container's start and the last forward to its end (if within 10
 * minutes); CPU usage between two samples is constant, the counter is 0 at the container's start, the
 * last rate holds to its end; prices and requests hold from their sample on, the first also before;
 * more than 10 minutes without samples are no cost.
 */
import { CLUSTER_ROWS } from './fleet-cluster-cases.ts';
import { LIFE_ROWS } from './fleet-life-cases.ts';
import { BOTH, fleet } from './fleet-parts.ts';
import { type Fleet, type Span } from './fleet.ts';
import { STATUS_ROWS } from './fleet-status-cases.ts';
import { USAGE_ROWS } from './fleet-usage-cases.ts';

export interface FleetCase {
  /** A sentence: what holds. */
  readonly name: string;
  readonly fleet: Fleet;
  readonly windows: readonly Span[];
  /** How much run time of a container the store cannot know; 0 means 1e-9 relative. */
  readonly toleranceMs: number;
}

const ROWS = [...USAGE_ROWS, ...LIFE_ROWS, ...STATUS_ROWS, ...CLUSTER_ROWS];

export const FLEET_CASES: readonly FleetCase[] = ROWS.map((row) => ({
  name: row.name,
  fleet: fleet(row.cluster, row.pods, row.changes),
  windows: row.windows ?? BOTH,
  toleranceMs: row.toleranceMs ?? 0,
}));
