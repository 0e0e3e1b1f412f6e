/**
 * Writes src/pricing/list of tables with a row a provider, region and type: a file a provider with a
 * line a type and a column a region, its spot prices in a file beside it, the rates of regions, and what
 * labels of nodes call the models of GPUs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine } from './commands.ts';

type Row = Readonly<Record<string, string>>;

const {
  operands: [folder = '', collected = ''],
} = commandLine('list-prices');
const target = fileURLToPath(new URL('../src/pricing/list', import.meta.url));
mkdirSync(target, { recursive: true });

const SIZES = ['vCPUs', 'RAMGiB', 'GPUs', 'gpuModel', 'gpuMemoryGiB', 'sharedCore', 'architecture'];

function rowsOf(name: string): Row[] {
  const [header = '', ...lines] = readFileSync(join(folder, name), 'utf8').trim().split('\n');
  if (header.includes('"') || lines.some((line) => line.includes('"'))) {
    throw new Error(`${name} has quotes`);
  }
  const names = header.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((column, i) => [column, cells[i] ?? '']));
  });
}

/** Without the zero before the point; a price that was computed is marked. */
function price(row: Row | undefined, column: string): string {
  const text = row?.[column]?.replace(/^0\./, '.') ?? '';
  return text !== '' && row?.['basis'] !== undefined && column === 'hourlyPrice'
    ? `~${text}`
    : text;
}

function sheet(byName: ReadonlyMap<string, ReadonlyMap<string, Row>>, column: string): string {
  const prices = [...byName.values()].flatMap((regions) => [...regions.values()]);
  const regions = [...new Set(prices.map(({ region = '' }) => region))].sort();
  const hasSizes = column === 'hourlyPrice';
  const lines = [...byName].flatMap(([name, rows]) => {
    const [first] = rows.values();
    const sizes = hasSizes ? SIZES.map((size) => first?.[size] ?? '') : [];
    const cells = regions.map((region) => price(rows.get(region), column));
    if (cells.every((cell) => cell === '')) return [];
    return [[name, ...sizes, ...cells].join(',').replace(/,+$/, '')];
  });
  const header = ['name', ...(hasSizes ? SIZES : []), ...regions].join(',');
  const kind = hasSizes
    ? 'on demand, Linux, without tax; ~ marks a price that was computed of a sibling'
    : 'spot';
  const currency = prices[0]?.['currency'] ?? 'USD';
  return [`# ${currency} an hour, ${kind}; collected ${collected}`, header, ...lines, ''].join(
    '\n',
  );
}

const types = [
  ...rowsOf('node-types.csv'),
  ...rowsOf('node-types-derived.csv'),
  ...rowsOf('node-types-other.csv'),
].map((row) => (row['sharedCore'] === 'true' ? row : { ...row, sharedCore: '' }));
const providers = new Map<string, Map<string, Map<string, Row>>>();
for (const row of types.toSorted((a, b) => ((a['name'] ?? '') < (b['name'] ?? '') ? -1 : 1))) {
  const { provider = '', name = '', region = '' } = row;
  const byName = providers.get(provider) ?? new Map<string, Map<string, Row>>();
  providers.set(provider, byName);
  const regions = byName.get(name) ?? new Map<string, Row>();
  byName.set(name, regions.set(region, row));
}
for (const [provider, byName] of providers) {
  const name = provider.toLowerCase();
  writeFileSync(join(target, `${name}.csv`), sheet(byName, 'hourlyPrice'));
  const hasSpot = [...byName.values()].some((rows) =>
    [...rows.values()].some(({ spotHourlyPrice }) => spotHourlyPrice !== ''),
  );
  if (hasSpot) writeFileSync(join(target, `${name}-spot.csv`), sheet(byName, 'spotHourlyPrice'));
}
const rates = rowsOf('rates.csv').map(
  ({ provider, region, item, variant, unit, price: usd, sourceDate }) =>
    [provider, region, item, variant, unit, usd, sourceDate].join(','),
);
const header = 'provider,region,item,variant,unit,price,sourceDate';
writeFileSync(
  join(target, 'rates.csv'),
  [`# USD; collected ${collected}`, header, ...rates, ''].join('\n'),
);
/** Into how many slices a model can be cut is the denominator of its profiles: `1g.5gb:1/7:1/8`. */
const models = rowsOf('gpu-models.csv')
  .filter(({ model }) => model !== '')
  .map(({ value, model, memoryGiB, migProfiles = '' }) =>
    [value, model, memoryGiB, /:\d+\/(\d+):/.exec(migProfiles)?.[1] ?? ''].join(','),
  );
writeFileSync(
  join(target, 'gpu-models.csv'),
  [
    `# Models of GPUs by the values of nodes' labels; collected ${collected}`,
    'value,model,memoryGiB,slices',
    ...[...new Set(models)].sort(),
    '',
  ].join('\n'),
);
process.stdout.write(`${types.length} prices, ${rates.length} rates, ${models.length} models\n`);
