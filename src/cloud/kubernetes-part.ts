/** Which part of a cloud's costs Kubernetes has. */
import type { Measure } from '../charges/index.ts';
import { numbersOf, textColumn, type Table } from '../columnar/index.ts';
import { parseLabels, resourceKey } from '../query/index.ts';

/** Services that run clusters. */
const SERVICE = /kubernetes|^amazoneks$/i;
/** Tags that clouds and their controllers put on what a cluster has. */
const TAG = /(^|[./])(kubernetes|k8s)\.io\/|^(aws:)?eks:|^aks-managed-|^goog-(k8s|gke)-/i;
const TEXTS = ['providerID', 'service', 'tags'];

/** The measure that a column's part is. */
export function partOf(column: string): string {
  return `kubernetes ${column}`;
}

/**
 * A charge is of Kubernetes when its resource is a node, a disk or a load balancer of a cluster, when
 * its service runs clusters, or when its tags say so.
 * @param resources as `resourceKey` spells them
 */
export function kubernetesPart(resources: ReadonlySet<string>): (column: string) => Measure {
  const isResource = (id: string): boolean => resources.has(resourceKey(id));
  const told = new WeakMap<Table, Uint8Array>();
  const areOurs = (table: Table): Uint8Array => {
    const known = told.get(table) ?? oursOf(table, isResource);
    told.set(table, known);
    return known;
  };
  return (column) => ({
    name: partOf(column),
    columns: [column, ...TEXTS],
    values(table) {
      const costs = table.numbers(column)?.values ?? new Float64Array(table.rows);
      const ours = areOurs(table);
      return Float64Array.from(costs, (cost, row) => (ours[row] === 1 ? cost : 0));
    },
  });
}

function oursOf(table: Table, isResource: (id: string) => boolean): Uint8Array {
  const tests = [isResource, (text: string) => SERVICE.test(text), hasTag];
  const ours = new Uint8Array(table.rows);
  TEXTS.forEach((name, i) => {
    const test = tests[i];
    const verdicts = numbersOf(textColumn(table, name), (text) => (test?.(text) === true ? 1 : 0));
    verdicts.forEach((verdict, row) => {
      if (verdict === 1) ours[row] = 1;
    });
  });
  return ours;
}

function hasTag(tags: string): boolean {
  if (tags === '') return false;
  for (const name of parseLabels(tags).keys()) if (TAG.test(name)) return true;
  return false;
}
