/** `prorata prices`: shows the list prices that come with the program, and compares others with them. */
import { statSync } from 'node:fs';
import type { Change } from '../http/index.ts';
import {
  EURO_PROVIDERS,
  euroPrice,
  LISTED_PROVIDERS,
  listedRegions,
  listPrice,
  listPricesCollected,
  listPricesIn,
  newerCollected,
  newerPrice,
  partedPrice,
  useNewerPrices,
  type ListPrice,
  type NewerPrices,
} from '../pricing/index.ts';
import { Fault, nearest } from '../query/index.ts';
import { readNewerPrices, writeNewerPrices } from '../server/newer-prices.ts';
import { readNodeTypes } from '../server/node-types.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { priceTable, textTable } from '../terminal/price-table.ts';
import { compareWithList, type Compared } from './compare-prices.ts';
import { withRecordedChanges } from './recorded-command.ts';
import { newerPricesOf } from './update-prices.ts';

const FLAGS: readonly Flag[] = [
  {
    name: 'provider',
    value: 'NAME',
    help: `one of ${LISTED_PROVIDERS.join(', ')}, or, with --usd-per-euro, ${EURO_PROVIDERS.join(', ')}`,
  },
  { name: 'region', value: 'NAME', help: 'as clouds write it, such as us-east-1; all without it' },
  { name: 'type', value: 'NAME', help: 'as clouds write it, such as m5.large; all without it' },
  {
    name: 'data-dir',
    value: 'DIR',
    help: 'the data folder of the server, with newer prices; update needs it',
  },
  { name: 'usd-per-euro', value: 'USD', help: 'what a euro costs, for providers that sell in EUR' },
  { name: 'json', help: 'a list of objects; null where a price is not known' },
];

const HELP = `prorata prices show [flags]
prorata prices diff FILE [--json]
prorata prices update FILE --data-dir DIR

  Shows what node types cost: USD an hour, on demand and spot, without commitment and tax, and when
  the price was collected; ~ marks one that was computed of a sibling. Ends with 1 where there is none.

  diff compares prices of machines in a file of the form of --node-types with the list, and shows those
  that differ or that the list has not.

  update keeps the prices of such a file in the data folder: from its next start a server uses them in
  place of those of the list. A file without rows is refused; what was kept before is replaced.

  prorata prices show --type m5.large
  prorata prices show --provider GCP --region us-central1 --json
  prorata prices diff node-types.csv
  prorata prices update newer.csv --data-dir /var/lib/prorata

${flagsHelp(FLAGS)}`;

interface Wanted {
  readonly verb: 'show';
  readonly providers: readonly string[];
  readonly region: string | undefined;
  readonly type: string | undefined;
  /** 0: providers that sell in EUR are left out. */
  readonly usdPerEuro: number;
  readonly folder: string | undefined;
  readonly isJson: boolean;
}

interface Update {
  readonly verb: 'update';
  readonly path: string;
  readonly folder: string;
}

interface Comparison {
  readonly verb: 'diff';
  readonly path: string;
  readonly folder: string | undefined;
  readonly isJson: boolean;
}

export async function prices(argv: readonly string[]): Promise<void> {
  const isHelp = argv.includes('--help') || argv.includes('-h');
  const wanted = isHelp ? undefined : usage(FLAGS, () => commandOf(argv));
  if (!wanted) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  if (wanted.verb === 'update') {
    await update(wanted);
    return;
  }
  const note = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  useNewerPrices(await readNewerPrices(wanted.folder, note));
  if (wanted.verb === 'diff') diff(wanted);
  else show(wanted);
}

async function update({ path, folder }: Update): Promise<void> {
  const given = readNodeTypes(path, 'prices update') ?? [];
  const collected = new Date(statSync(path).mtimeMs).toISOString().slice(0, 10);
  const newer = newerPricesOf(given, path, collected);
  const before = await readNewerPrices(folder, () => undefined);
  const kept = await withRecordedChanges({ dataDir: folder }, (changes) =>
    changes.own('prices.update', pricesChange(before, newer), () =>
      writeNewerPrices(folder, newer),
    ),
  );
  process.stdout.write(`${newer.types.length} prices of ${collected} are in ${kept}\n`);
}

function pricesChange(before: NewerPrices | undefined, after: NewerPrices): Change {
  const told = ({ collected, types }: NewerPrices): object => ({ collected, types: types.length });
  return { of: 'prices', before: before === undefined ? null : told(before), after: told(after) };
}

function show(wanted: Wanted): void {
  const found = find(wanted);
  const dated = found.map((price) => {
    const isNewer = newerPrice(price.provider, price.region, price.name) !== undefined;
    const collected = isNewer ? newerCollected() : (listPricesCollected(price.provider) ?? '');
    return { ...price, collected };
  });
  process.stdout.write(wanted.isJson ? `${JSON.stringify(dated)}\n` : priceTable(dated));
  if (found.length === 0) process.exitCode = 1;
}

function diff({ path, isJson }: Comparison): void {
  const compared = compareWithList(readNodeTypes(path, 'prices diff') ?? []);
  process.stdout.write(isJson ? `${JSON.stringify(compared)}\n` : diffText(compared));
}

function diffText({ differing, same, notCompared }: Compared): string {
  const lines = differing.map((row) => [
    row.provider,
    row.region,
    row.name,
    String(row.fileUsdPerHour),
    row.listUsdPerHour === null ? 'none' : String(row.listUsdPerHour),
    row.change === null ? '' : `${row.change > 0 ? '+' : ''}${(100 * row.change).toFixed(1)} %`,
  ]);
  const counts = `${same} the same, ${differing.length} not, ${notCompared} without a price of a machine`;
  const head = ['provider', 'region', 'type', 'file USD/h', 'list USD/h', 'change'];
  return `${lines.length > 0 ? textTable([head, ...lines]) : ''}${counts}\n`;
}

/** @throws {Fault} */
function commandOf(argv: readonly string[]): Wanted | Comparison | Update {
  const { values, rest } = takeFlags(argv, FLAGS);
  const [verb = '', path, unknown] = rest;
  const folder = values.get('data-dir');
  if (verb !== 'diff' && verb !== 'update') return wantedOf(values, rest);
  if (path === undefined || path.startsWith('-') || unknown !== undefined) {
    throw new Fault(`prices ${verb} needs one file`, {
      hint: `prorata prices ${verb} node-types.csv`,
    });
  }
  const known = verb === 'diff' ? ['json', 'data-dir'] : ['data-dir'];
  const [flag] = [...values.keys()].filter((name) => !known.includes(name));
  if (flag !== undefined) throw new Fault(`--${flag} is not a flag of prices ${verb}`);
  if (verb === 'diff') return { verb, path, folder, isJson: values.has('json') };
  if (folder === undefined) {
    throw new Fault('prices update needs --data-dir', {
      parameter: 'data-dir',
      hint: 'the folder of the server, such as --data-dir /var/lib/prorata',
    });
  }
  return { verb, path, folder };
}

/** @throws {Fault} */
function wantedOf(values: ReadonlyMap<string, string>, rest: readonly string[]): Wanted {
  const [verb = '', unknown] = rest;
  if (verb !== 'show') {
    throw new Fault(`'${verb.slice(0, 80)}' is not a verb of prices`, {
      hint: 'prorata prices show',
    });
  }
  if (unknown !== undefined) {
    throw new Fault(`unknown flag ${unknown.slice(0, 80)}`, { parameter: unknown });
  }
  const [provider, region, type] = ['provider', 'region', 'type'].map((name) => values.get(name));
  if (region === undefined && type === undefined) {
    throw new Fault('prices show needs a type or a region', {
      hint: 'for example --type m5.large',
    });
  }
  const usdPerEuro = rateOf(values.get('usd-per-euro'));
  const known = [...LISTED_PROVIDERS, ...(usdPerEuro > 0 ? EURO_PROVIDERS : [])];
  const providers = known.filter(
    (one) => provider === undefined || one.toLowerCase() === provider.toLowerCase(),
  );
  if (provider !== undefined && providers.length === 0) {
    const near = nearest(provider, known);
    throw new Fault(`--provider: '${provider.slice(0, 80)}' has no list prices`, {
      parameter: 'provider',
      hint: near === undefined ? `one of ${known.join(', ')}` : `did you mean '${near}'?`,
    });
  }
  const folder = values.get('data-dir');
  return { verb, providers, region, type, usdPerEuro, folder, isJson: values.has('json') };
}

/** @throws {Fault} */
function rateOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const rate = /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : 0;
  if (rate > 0 && rate < 1000) return rate;
  throw new Fault(`--usd-per-euro: '${text.slice(0, 80)}' is not a price in USD, above 0`, {
    parameter: 'usd-per-euro',
    hint: 'for example 1.15',
  });
}

function find({ providers, region, type, usdPerEuro }: Wanted): ListPrice[] {
  return providers.flatMap((provider) => {
    const regions = region === undefined ? listedRegions(provider) : [region];
    return regions.flatMap((one) => {
      if (type === undefined) return listPricesIn(provider, one);
      return (
        listPrice(provider, one, type) ??
        partedPrice(provider, one, type) ??
        euroPrice(provider, one, type, usdPerEuro) ??
        []
      );
    });
  });
}
