/**
 * The operator's prices: the CSV that `--node-types` names. A row prices a node type as a whole, or what
 * a core, a GiB and a GPU cost, of the nodes of a pool, of one type or with GPUs of one model; or what a
 * GiB of the volumes of a storage class costs.
 */
import { Fault, nearest, readRows } from '../query/index.ts';

/** The priced resources of a machine. */
export interface NodeSize {
  readonly cpuCores: number;
  readonly ramGiB: number;
  readonly gpus: number;
}

/** One machine type in one region. */
export interface NodeType extends NodeSize {
  /** As in the file; '' where it is empty. */
  readonly provider: string;
  readonly region: string;
  readonly name: string;
  /** USD for an hour of the whole machine. */
  readonly usdPerHour: number;
  /** NaN where the file has none. */
  readonly spotUsdPerHour: number;
  /** The machine may use only a share of the cores that it shows. */
  readonly isSharedCore: boolean;
  /** `x86` or `ARM`. */
  readonly architecture: Architecture;
}

/** A row of the operator's prices. Its name may be '' where it has a pool, a GPU model or a storage class. */
export interface OwnPrice extends NodeType {
  /** The zone and the pool that it holds for; '' any. */
  readonly zone: string;
  readonly pool: string;
  /** As the label `nvidia.com/gpu.product` has it, without what tells how it is shared; '' any. */
  readonly gpuModel: string;
  /** Rows with one price volumes, not nodes. */
  readonly storageClass: string;
  /** USD an hour of a GiB of its volumes; NaN where the row prices nodes. */
  readonly storageGiBHour: number;
  /** USD an hour of a core and of a GiB; NaN where the row prices the whole machine. */
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
  /** NaN where the row has none: the book's. */
  readonly gpuHour: number;
}

/** USD an hour: more than any machine costs, so that a slip is seen. */
export const USD_PER_HOUR_MAX = 1e5;

export type Architecture = 'x86' | 'ARM';

/** Spellings in files and in Kubernetes, in lower case. */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  '': 'x86',
  x86: 'x86',
  x86_64: 'x86',
  amd64: 'x86',
  arm: 'ARM',
  arm64: 'ARM',
};

interface Column<Value> {
  /** In the file's first row. */
  readonly name: string;
  /** The value for a file without the column. */
  readonly missing: Value;
  readonly accepted: string;
  readonly read: (text: string) => Value | undefined;
}

const PRICE = `a price in USD an hour, above 0 and at most ${USD_PER_HOUR_MAX}`;

const COLUMNS: { readonly [Field in keyof OwnPrice]: Column<OwnPrice[Field]> } = {
  provider: { name: 'provider', missing: '', accepted: 'a name', read: (text) => text },
  region: { name: 'region', missing: '', accepted: 'a name', read: (text) => text },
  name: {
    name: 'name',
    missing: '',
    accepted: 'the name of a node type, such as m5.large',
    read: (text) => text,
  },
  zone: { name: 'zone', missing: '', accepted: 'a name', read: (text) => text },
  pool: { name: 'pool', missing: '', accepted: 'a name', read: (text) => text },
  gpuModel: { name: 'gpuModel', missing: '', accepted: 'a name', read: (text) => text },
  storageClass: { name: 'storageClass', missing: '', accepted: 'a name', read: (text) => text },
  storageGiBHour: optionalPrice('storageGiBHour'),
  cpuCores: {
    name: 'vCPUs',
    missing: NaN,
    accepted: 'a number of cores above 0',
    read: (text) => decimal(text) || undefined,
  },
  ramGiB: {
    name: 'RAMGB',
    missing: NaN,
    accepted: 'a number of GiB, 0 or more',
    read: decimal,
  },
  gpus: {
    name: 'GPUs',
    missing: 0,
    accepted: 'a number of GPUs, 0 or more',
    read: (text) => (text === '' ? 0 : decimal(text)),
  },
  usdPerHour: {
    name: 'hourlyPrice',
    missing: NaN,
    accepted: PRICE,
    read: price,
  },
  spotUsdPerHour: optionalPrice('spotHourlyPrice'),
  cpuCoreHour: optionalPrice('cpuCoreHour'),
  ramGiBHour: optionalPrice('ramGiBHour'),
  gpuHour: optionalPrice('gpuHour'),
  isSharedCore: {
    name: 'sharedCore',
    missing: false,
    accepted: 'true, false or nothing',
    read: (text) => ({ true: true, false: false, '': false })[text.toLowerCase()],
  },
  architecture: {
    name: 'architecture',
    missing: 'x86',
    accepted: 'x86, ARM or nothing',
    read: (text) => ARCHITECTURES[text.toLowerCase()],
  },
};

/** No other currency is converted; the column lets a file say so. */
const CURRENCY = 'currency';
const KNOWN: readonly string[] = [...Object.values(COLUMNS).map(({ name }) => name), CURRENCY];

/**
 * @param path of the file, as errors name it
 * @throws {Fault} naming the file, row and column, what stands there and what is accepted
 */
export function parseNodeTypes(text: string, path: string): OwnPrice[] {
  const [header = [], ...rows] = readRows(text, path);
  const names = header.map((name) => name.trim());
  checkHeader(names, path);
  const types = rows.map((cells, i) => {
    const row = i + 2;
    if (cells.length !== names.length) {
      const counts = `cells: ${cells.length}, columns: ${names.length}`;
      throw new Fault(`${path}, row ${row}: ${counts}`, { hint: `columns: ${names.join(',')}` });
    }
    return typeIn(new Map(names.map((name, place) => [name, cells[place] ?? ''])), path, row);
  });
  if (types.length === 0) throw new Fault(`${path}, row 2: no node type`, { hint: EXAMPLE });
  refuseTwins(types, path);
  return types;
}

const EXAMPLE = 'name,vCPUs,RAMGB,hourlyPrice and a row such as m5.large,2,8,0.096';

/** Columns of a row that prices a whole machine. */
const WHOLE: readonly string[] = ['vCPUs', 'RAMGB', 'hourlyPrice'];
const PER_UNIT: readonly string[] = ['cpuCoreHour', 'ramGiBHour'];
const OF_STORAGE: readonly string[] = ['storageGiBHour'];
/** Columns that say which nodes a row is for. */
const OF_NODES: readonly string[] = ['name', 'pool', 'gpuModel'];
const NOT_OF_STORAGE = [...OF_NODES, 'zone', ...WHOLE, ...PER_UNIT, 'gpuHour', 'spotHourlyPrice'];

function checkHeader(names: readonly string[], path: string): void {
  for (const [place, name] of names.entries()) {
    const at = `${path}, row 1, column ${place + 1}`;
    if (!KNOWN.includes(name)) {
      const near = nearest(name, KNOWN);
      const hint = near === undefined ? `known: ${KNOWN.join(', ')}` : `did you mean '${near}'?`;
      throw new Fault(`${at}: unknown column '${name.slice(0, 80)}'`, { hint });
    }
    if (names.indexOf(name) < place) throw new Fault(`${at}: column '${name}' is there twice`);
  }
  const hasNodes = OF_NODES.some((name) => names.includes(name));
  const hasStorage = names.includes('storageClass');
  const needed = [
    ...(hasNodes || hasStorage ? [] : ['name']),
    ...(names.includes('cpuCoreHour') || (hasStorage && !hasNodes) ? [] : WHOLE),
    ...(hasStorage ? OF_STORAGE : []),
  ];
  for (const name of needed) {
    if (!names.includes(name)) {
      throw new Fault(`${path}, row 1: column '${name}' is missing`, { hint: EXAMPLE });
    }
  }
}

function typeIn(cells: ReadonlyMap<string, string>, path: string, row: number): OwnPrice {
  const text = (column: string): string => cells.get(column)?.trim() ?? '';
  const refusal = (column: string, accepted: string): Fault =>
    new Fault(
      `${path}, row ${row}, column ${column}: '${text(column).slice(0, 80)}' is not ${accepted}`,
    );
  const currency = text(CURRENCY);
  if (currency !== '' && currency.toUpperCase() !== 'USD') throw refusal(CURRENCY, 'USD');
  const isStorage = text('storageClass') !== '';
  const isOfNone = OF_NODES.every((name) => text(name) === '');
  if (!isStorage && isOfNone) throw refusal('name', COLUMNS.name.accepted);
  for (const name of isStorage ? NOT_OF_STORAGE : []) {
    if (text(name) !== '') throw refusal(name, 'empty, though the row prices a storage class');
  }
  const isPerUnit = text('cpuCoreHour') !== '' || text('ramGiBHour') !== '';
  if (isPerUnit && text('hourlyPrice') !== '') {
    throw refusal('hourlyPrice', 'empty, though the row has prices of a core or a GiB');
  }
  const needed = isStorage ? OF_STORAGE : isPerUnit ? PER_UNIT : WHOLE;
  /** What other ways of pricing need may be empty. */
  const isUnneeded = (name: string): boolean =>
    !needed.includes(name) && [...WHOLE, ...PER_UNIT, ...OF_STORAGE].includes(name);
  const value = <Value>({ name, missing, accepted, read }: Column<Value>): Value => {
    const isLeftOut = !cells.has(name) || (text(name) === '' && isUnneeded(name));
    const isNeeded = needed.includes(name);
    const known = isLeftOut && !isNeeded ? missing : read(text(name));
    if (known !== undefined && !(isNeeded && known !== known)) return known;
    throw refusal(name, isNeeded && !accepted.startsWith('a number') ? PRICE : accepted);
  };
  return Object.fromEntries(
    Object.entries<Column<unknown>>(COLUMNS).map(([field, column]) => [field, value(column)]),
  ) as unknown as OwnPrice;
}

/** Two prices for the same nodes are ambiguous, and so is one of any provider beside one of a provider. */
function refuseTwins(types: readonly OwnPrice[], path: string): void {
  const rows = new Map<string, number>();
  const providers = new Map<string, { provider: string; row: number }>();
  for (const [i, type] of types.entries()) {
    const { provider, region, zone, pool, name, gpuModel, storageClass } = type;
    const kind = [region, zone, pool, name, gpuModel, storageClass];
    const key = [provider, ...kind].join('\0').toLowerCase();
    const before = rows.get(key);
    if (before !== undefined) {
      const inPool = pool === '' ? '' : `pool ${pool}`;
      const what = [name, gpuModel, storageClass, inPool]
        .filter((text) => text !== '')
        .join(' in ');
      const place = [provider, region, zone].filter((text) => text !== '').join(' ');
      const whole = place === '' ? what : `${what} of ${place}`;
      throw new Fault(
        `${path}, row ${i + 2}, column name: ${whole} stands in row ${before} already`,
      );
    }
    rows.set(key, i + 2);
    const anywhere = kind.join('\0').toLowerCase();
    const other = providers.get(anywhere) ?? { provider, row: i + 2 };
    providers.set(anywhere, other);
    if ((other.provider === '') === (provider === '')) continue;
    const [of, row] = provider === '' ? [other.provider, i + 2] : [provider, other.row];
    const also = row === i + 2 ? other.row : i + 2;
    throw new Fault(
      `${path}, row ${row}, column provider: '' is ambiguous, as ${name || pool || gpuModel || storageClass} of ${of} stands in row ${also}`,
      { hint: 'name the provider in each row' },
    );
  }
}

function optionalPrice(name: string): Column<number> {
  return {
    name,
    missing: NaN,
    accepted: `${PRICE}, or nothing`,
    read: (text) => (text === '' ? NaN : price(text)),
  };
}

function price(text: string): number | undefined {
  const usd = decimal(text);
  return usd !== undefined && usd > 0 && usd <= USD_PER_HOUR_MAX ? usd : undefined;
}

/** Finite, not signed. */
function decimal(text: string): number | undefined {
  const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  return value < Infinity ? value : undefined;
}
