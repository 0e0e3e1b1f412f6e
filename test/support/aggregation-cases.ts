/** A day of twelve containers and its idle rows, and what the allocation query answers to it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface AggregationCase {
  readonly id: string;
  /** How the day has its idle rows: `cluster-idle` or `node-idle`. */
  readonly set: string;
  readonly query: string;
  /** A total by name, or total, cpu, gpu, ram, pv, network, loadBalancer, shared. */
  readonly expected: Readonly<Record<string, number | readonly number[]>>;
}

/** @throws where the list is missing or empty, so that no table of cases is passed over */
export function aggregationCases(): readonly AggregationCase[] {
  const text = readFileSync(fixture('cases.json'), 'utf8');
  const { cases } = JSON.parse(text) as { readonly cases: readonly AggregationCase[] };
  if (cases.length === 0) throw new Error('cases.json has no case');
  return cases;
}

/** @returns the path of the day's saved answer */
export function aggregationDay(set: string): string {
  return fixture(`day-${set}.json`);
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/aggregation/${name}`, import.meta.url));
}
