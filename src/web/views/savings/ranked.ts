/** The one list of what can be saved: each kind with what it is, what it takes and what it risks. */
import type { Risk } from './sizing.ts';

export interface Kind {
  /** As `/model/savings` names it, and as the address has it. */
  readonly id: string;
  readonly title: string;
  readonly does: string;
  readonly effort: 'a click' | 'an hour' | 'a day' | 'days';
  readonly risk: Risk;
}

export const KINDS: readonly Kind[] = [
  { id: 'nodeGroupSizing', title: 'Node groups', does: 'other types or numbers of nodes for what runs', effort: 'a day', risk: 'medium' },
  { id: 'requestSizing', title: 'Requests of containers', does: 'requests that fit what containers used', effort: 'a click', risk: 'low' },
  { id: 'persistentVolumeSizing', title: 'Oversized volumes', does: 'smaller volumes, once their data has been moved', effort: 'days', risk: 'high' },
  { id: 'localLowDisks', title: 'Disks of nodes', does: 'smaller disks in the template of nodes', effort: 'a day', risk: 'low' },
  { id: 'unclaimedVolumes', title: 'Unclaimed volumes', does: 'volumes that no claim holds: keep a snapshot, then delete', effort: 'an hour', risk: 'medium' },
  { id: 'abandonedWorkloads', title: 'Abandoned workloads', does: 'pods that nothing talks with: ask their owners', effort: 'an hour', risk: 'medium' },
]; // prettier-ignore

/** What `/model/savings` says of a kind, USD a month. */
export interface KindSavings {
  readonly savingsPerMonth: number;
  readonly savingsPerMonthAlone: number;
}

export interface RankedSaving {
  readonly kind: Kind;
  /** What it saves a month beside those that claim more of the same dollars. */
  readonly saves: number;
  /** What it saves by itself. */
  readonly alone: number;
}

/** @returns what there is, the highest savings first; kinds that no answer knows are left out */
export function ranked(data: Readonly<Record<string, KindSavings>>): readonly RankedSaving[] {
  return KINDS.flatMap((kind) => {
    const found = data[kind.id];
    if (found === undefined) return [];
    return [{ kind, saves: found.savingsPerMonth, alone: found.savingsPerMonthAlone }];
  }).toSorted((a, b) => b.saves - a.saves);
}
