/** The lease of a store that several processes share, as the configuration has it. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../../settings/config.ts';
import { Lease } from '../../storage/objects/lease.ts';
import type { ObjectSets } from '../../storage/objects/object-sets.ts';

export function openLease(
  { leaseMs: ttlMs }: Pick<Config, 'leaseMs'>,
  sets: ObjectSets,
  note: (sentence: string) => void,
): Lease {
  const { bucket, prefix } = sets.place;
  return new Lease({
    objects: bucket,
    key: `${prefix}lease.json`,
    holder: `${hostname()}-${randomUUID().slice(0, 8)}`,
    ttlMs,
    termAtLeast: () => sets.state.builder?.term ?? 0,
    note,
  });
}
