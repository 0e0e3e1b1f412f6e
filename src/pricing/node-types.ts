/** Node types and their prices: the CSV that `--node-types` names. */
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
  /** The value for a file without the column; undefined: the column is required. */
  readonly missing: Value | undefined;
  readonly accepted: string;
  readonly read: (text: string) => Value | undefined;
}

const COLUMNS: { readonly [Field in keyof NodeType]: Column<NodeType[Field]> } = {
  provider: { name: 'provider', missing: '', accepted: 'a name', read: (text) => text },
  region: { name: 'region', missing: '', accepted: 'a name', read: (text) => text },
  name: {
    name: 'name',
    missing: undefined,
    accepted: 'the name of a node type, such as m5.large',
    read: (text) => text || undefined,
  },
  cpuCores: {
    name: 'vCPUs',
    missing: undefined,
    accepted: 'a number of cores above 0',
    read: (text) => decimal(text) || undefined,
  },
  ramGiB: {
    name: 'RAMGB',
    missing: undefined,
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
    missing: undefined,
    accepted: 'a price in USD, 0 or more',
    read: decimal,
  },
  spotUsdPerHour: {
    name: 'spotHourlyPrice',
    missing: NaN,
    accepted: 'a price in USD, 0 or more, or nothing',
    read: (text) => (text === '' ? NaN : decimal(text)),
  },
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

const KNOWN: readonly string[] = Object.values(COLUMNS).map(({ name }) => name);

/**
 * @param path of the file, as errors name it
 * @throws {Fault} naming the file, row and column, what stands there and what is accepted
 */
export function parseNodeTypes(text: string, path: string): NodeType[] {
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
  for (const { name, missing } of Object.values<Column<unknown>>(COLUMNS)) {
    if (missing === undefined && !names.includes(name)) {
      throw new Fault(`${path}, row 1: column '${name}' is missing`, { hint: EXAMPLE });
    }
  }
}

function typeIn(cells: ReadonlyMap<string, string>, path: string, row: number): NodeType {
  const value = <Value>({ name, missing, accepted, read }: Column<Value>): Value => {
    const text = cells.get(name)?.trim();
    const known = text === undefined ? missing : read(text);
    if (known !== undefined) return known;
    const shown = (text ?? '').slice(0, 80);
    throw new Fault(`${path}, row ${row}, column ${name}: '${shown}' is not ${accepted}`);
  };
  return {
    provider: value(COLUMNS.provider),
    region: value(COLUMNS.region),
    name: value(COLUMNS.name),
    cpuCores: value(COLUMNS.cpuCores),
    ramGiB: value(COLUMNS.ramGiB),
    gpus: value(COLUMNS.gpus),
    usdPerHour: value(COLUMNS.usdPerHour),
    spotUsdPerHour: value(COLUMNS.spotUsdPerHour),
    isSharedCore: value(COLUMNS.isSharedCore),
    architecture: value(COLUMNS.architecture),
  };
}

/** Two prices of one type are ambiguous. */
function refuseTwins(types: readonly NodeType[], path: string): void {
  const rows = new Map<string, number>();
  for (const [i, { provider, region, name }] of types.entries()) {
    const key = [provider, region, name].join('\0').toLowerCase();
    const before = rows.get(key);
    if (before !== undefined) {
      const place = [provider, region].filter((text) => text !== '').join(' ');
      const what = place === '' ? name : `${name} of ${place}`;
      throw new Fault(
        `${path}, row ${i + 2}, column name: ${what} stands in row ${before} already`,
      );
    }
    rows.set(key, i + 2);
  }
}

/** Finite, not signed. */
function decimal(text: string): number | undefined {
  const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Infinity;
  return value < Infinity ? value : undefined;
}
