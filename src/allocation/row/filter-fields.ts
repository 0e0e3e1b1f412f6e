/** The fields of allocations that a filter can compare, and their columns. */
import {
  LABEL_OF,
  type FieldCells,
  type FilterField,
  labelValues,
  parseLabels,
  providerIdTexts,
  storeName,
} from '../../query/index.ts';
import { parseServices } from './services-text.ts';

/** The column of a field's texts; a label is read from the labels, or else from the annotations. */
export type FieldSource = ColumnSource | { readonly label: string };

/** @property values of a cell that are listed, where a filter finds it by others too */
type ColumnSource = FieldCells & { readonly values?: FieldCells['texts'] };

export type AllocationField = FilterField & { readonly source: FieldSource };

/** Names as the peers have them (core/pkg/filter/allocation), where `provider` is the providerID. */
export const ALLOCATION_FIELDS: readonly AllocationField[] = [
  plain('cluster', 'cluster'),
  plain('node', 'node'),
  plain('namespace', 'namespace'),
  { ...plain('controllerName', 'controller'), aliases: ['controller'] },
  // Stored kinds are in lower case; Kubernetes capitalises them.
  {
    name: 'controllerKind',
    source: { column: 'controllerKind', texts: (cell) => [cell.toLowerCase()], isFolded: true },
  },
  plain('pod', 'pod'),
  plain('container', 'container'),
  {
    name: 'providerID',
    aliases: ['provider'],
    source: { column: 'providerID', texts: providerIdTexts, values: (cell) => [cell] },
  },
  { ...plain('instanceType', 'instanceType'), aliases: ['nodeType'] },
  plain('region', 'region'),
  plain('zone', 'zone'),
  plain('nodePool', 'nodePool'),
  {
    name: 'services',
    aliases: ['service'],
    source: { column: 'services', texts: parseServices },
  },
  { name: 'label', isMap: true, source: { column: 'labels', texts: mapTexts } },
  { name: 'annotation', isMap: true, source: { column: 'annotations', texts: mapTexts } },
  ...Object.entries(LABEL_OF).map(([name, label]) => ({ name, source: { label } })),
];

function plain(name: string, column: string): AllocationField {
  return { name, source: { column, texts: (cell) => [cell] } };
}

function mapTexts(cell: string, name: string | null): readonly string[] {
  if (name !== null) return labelValues(cell, name);
  return Array.from(parseLabels(cell).keys(), storeName);
}
