/**
 * Prices that an operator put in the place of those that come with the program, and types that the list
 * has not. There is one list in a process: they count for all that asks it from then on.
 */
import type { NodeType } from './node-types.ts';

export interface NewerPrices {
  /** When they were read from a list, such as `2026-11-22`. */
  readonly collected: string;
  /** Each with its provider, region and name. */
  readonly types: readonly NodeType[];
}

let collected = '';
let byKey: ReadonlyMap<string, NodeType> = new Map();
let byPlace: ReadonlyMap<string, readonly NodeType[]> = new Map();

export function useNewerPrices(newer: NewerPrices | undefined): void {
  collected = newer?.collected ?? '';
  const types = newer?.types ?? [];
  byKey = new Map(types.map((type) => [keyOf(type.provider, type.region, type.name), type]));
  const places = new Map<string, NodeType[]>();
  for (const type of types) {
    const place = keyOf(type.provider, type.region);
    places.set(place, [...(places.get(place) ?? []), type]);
  }
  byPlace = places;
}

/** '' without newer prices. */
export function newerCollected(): string {
  return collected;
}

export function newerPrice(provider: string, region: string, name: string): NodeType | undefined {
  return byKey.get(keyOf(provider, region, name));
}

/** The types of a region that have newer prices. */
export function newerIn(provider: string, region: string): readonly NodeType[] {
  return byPlace.get(keyOf(provider, region)) ?? [];
}

function keyOf(...parts: readonly string[]): string {
  return parts.join('\0').toLowerCase();
}
