/** Fields that assets are filtered and grouped by, and the column of each. */
import { textColumn, type Table, type TextColumn } from '../columnar/index.ts';
import {
  LABEL_OF,
  labelValues,
  parseLabels,
  providerIdTexts,
  storeName,
  type FieldCells,
  type FilterField,
} from '../query/index.ts';
import type { AssetText, AssetType } from './columns.ts';

/** The category of each type, as OpenCost names it (core/pkg/opencost/asset.go). */
const CATEGORIES: Readonly<Record<AssetType, string>> = {
  Node: 'Compute',
  Disk: 'Storage',
  LoadBalancer: 'Network',
  Network: 'Network',
  ClusterManagement: 'Management',
};

/** The types, as clients spell them. */
export const ASSET_TYPES: readonly string[] = Object.keys(CATEGORIES);

const SERVICE = 'Kubernetes';

/** Columns that are derived from a stored one. */
type DerivedColumn = 'category' | 'service' | 'project' | 'account';

const DERIVED: Readonly<Record<DerivedColumn, readonly [AssetText, (text: string) => string]>> = {
  category: ['type', (type) => CATEGORIES[type as AssetType] ?? ''],
  service: ['type', () => SERVICE],
  project: ['providerID', (id) => /^gce:\/\/([^/]+)\//.exec(id)?.[1] ?? ''],
  account: ['providerID', (id) => /^azure:\/\/\/subscriptions\/([^/]+)\//i.exec(id)?.[1] ?? ''],
};

/** The column of that name, stored or derived. */
export function assetColumn(table: Table, name: string): TextColumn {
  if (!Object.hasOwn(DERIVED, name)) return textColumn(table, name);
  const [from, derive] = DERIVED[name as DerivedColumn];
  const { codes, texts } = textColumn(table, from);
  return { codes, texts: { size: texts.size, text: (code) => derive(texts.text(code)) } };
}

export type AssetField = FilterField & FieldCells;

/** Names as in OpenCost (core/pkg/filter/asset). */
export const ASSET_FIELDS: readonly AssetField[] = [
  plain('name'),
  folded('assetType', 'type', ['type']),
  folded('category'),
  plain('cluster'),
  plain('project'),
  folded('provider'),
  { name: 'providerID', column: 'providerID', texts: providerIdTexts },
  plain('account'),
  folded('service'),
  {
    name: 'label',
    isMap: true,
    column: 'labels',
    texts: (cell, name) =>
      name === null ? Array.from(parseLabels(cell).keys(), storeName) : labelValues(cell, name),
  },
  ...Object.entries(LABEL_OF).map(([name, label]): AssetField => ({
    name,
    column: 'labels',
    texts: (cell) => labelValues(cell, label),
  })),
];

/** A field of a few fixed words, which clients write in any case. */
function folded(name: string, column: string = name, aliases: readonly string[] = []): AssetField {
  return { name, aliases, column, texts: (cell) => [cell.toLowerCase()], isFolded: true };
}

function plain(name: string): AssetField {
  return { name, column: name, texts: (cell) => [cell] };
}
