/** When nothing of a cluster is told of: its exporter was down. */
import type { PodName } from './pods.ts';
import { Presence, type Stretch } from './presence.ts';

/**
 * @param scrapes of the cluster's exporter; undefined: unknown
 * @returns gaps longer than `gapMs` without samples of pods or scrapes; the first and the last have no outer end
 */
export function gapsOfAll(
  byNamespace: ReadonlyMap<string, ReadonlyMap<string, PodName>> | undefined,
  scrapes: Presence | undefined,
  gapMs: number,
): readonly Stretch[] {
  const told = new Presence(gapMs);
  if (scrapes) told.absorb(scrapes);
  for (const names of byNamespace?.values() ?? [])
    for (const { byUid } of names.values())
      for (const { presence } of byUid.values()) told.absorb(presence);
  return told.gapsWithin({ startMs: -Infinity, endMs: Infinity });
}
