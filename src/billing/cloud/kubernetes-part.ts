/** The part of a cloud's costs that Kubernetes causes. */
import type { Measure } from '../charges/index.ts';
import { numbersOf, textColumn, type Table } from '../../columnar/index.ts';
import { parseLabels, resourceKey, sharedKey } from '../../query/index.ts';

/** Services that run clusters. */
const SERVICE = /kubernetes|^amazoneks$/i;
/** Tags that clouds and their controllers put on resources of a cluster. */
const TAG = /(^|[./])(kubernetes|k8s)\.io\/|^(aws:)?eks:|^aks-managed-|^goog-(k8s|gke)-/i;
/** Remembered texts; then all are forgotten, as a bill of ever new texts must not fill the memory. */
const TEXTS_MAX = 65_536;
const TEXTS = ['providerID', 'service', 'tags'];

/** The name of the measure of a column's part. */
export function partOf(column: string): string {
  return `kubernetes ${column}`;
}

/**
 * A charge belongs to Kubernetes when its resource is a node, a disk or a load balancer of a cluster, when
 * its service runs clusters, or when its tags say so.
 * @param resources as `resourceKey` spells them
 */
export function kubernetesPart(resources: ReadonlySet<string>): (column: string) => Measure {
  const tests: (readonly [column: string, test: Test])[] = [
    ['service', remembered((service) => SERVICE.test(service))],
    ['tags', remembered(hasTag)],
  ];
  // This column has more texts than any other.
  if (resources.size > 0) {
    tests.push(['providerID', remembered((id) => resources.has(sharedKey(resourceKey(id))))]);
  }
  const known = new WeakMap<Table, Uint8Array>();
  const areOurs = (table: Table): Uint8Array => {
    const ours = known.get(table) ?? oursOf(table, tests);
    known.set(table, ours);
    return ours;
  };
  return (column) => ({
    name: partOf(column),
    columns: [column, ...TEXTS],
    values(table) {
      const costs = table.numbers(column)?.values;
      const ours = areOurs(table);
      const part = new Float64Array(table.rows);
      for (let row = 0; row < part.length; row++)
        if (ours[row] === 1) part[row] = costs?.[row] ?? 0;
      return part;
    },
  });
}

function oursOf(
  table: Table,
  tests: readonly (readonly [column: string, test: Test])[],
): Uint8Array {
  const ours = new Uint8Array(table.rows);
  for (const [name, test] of tests) {
    const verdicts = numbersOf(textColumn(table, name), (text) => (test(text) ? 1 : 0));
    for (let row = 0; row < ours.length; row++) if (verdicts[row] === 1) ours[row] = 1;
  }
  return ours;
}

type Test = (text: string) => boolean;

/** The same test, which looks at a text once for many tables, as most tables have the same texts. */
function remembered(test: Test): Test {
  const known = new Map<string, boolean>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size === TEXTS_MAX) known.clear();
    const verdict = test(text);
    known.set(text, verdict);
    return verdict;
  };
}

function hasTag(tags: string): boolean {
  if (tags === '') return false;
  for (const name of parseLabels(tags).keys()) if (TAG.test(name)) return true;
  return false;
}
