/**
 * Public list prices of node types in USD: AWS, Azure, GCP and DigitalOcean, on demand and, where they
 * are known, spot. Made by scripts/list-prices.ts. OVH and Scaleway sell in EUR: their prices count where
 * the operator tells what a euro costs.
 */
import { newerIn, newerPrice } from './newer-prices.ts';
import type { NodeType } from './node-types.ts';
import { PriceSheet } from './price-sheet.ts';
import { listText } from './list-text.ts';

/** A node type of the list in one region. */
export interface ListPrice extends NodeType {
  /** Such as `A100-40GB`; '' without GPUs. */
  readonly gpuModel: string;
  /** Memory of one GPU; NaN where it is not known. */
  readonly gpuMemoryGiB: number;
  /** Whether `usdPerHour` was computed of an older type's price, and is not one that was read. */
  readonly isComputed: boolean;
}

/** Providers with list prices, as they are written. */
export const LISTED_PROVIDERS = ['AWS', 'Azure', 'DigitalOcean', 'GCP'] as const;
/** Providers whose list prices are in EUR. */
export const EURO_PROVIDERS = ['OVH', 'Scaleway'] as const;
const WITHOUT_SPOT: readonly string[] = ['DigitalOcean', ...EURO_PROVIDERS];

/** Columns between the name of a type and the first region. */
const SIZES = 7;

interface Sheets {
  readonly provider: string;
  readonly onDemand: PriceSheet;
  readonly spot: PriceSheet | undefined;
}

const read = new Map<string, Sheets>();

/** The price of a type; undefined where the list has none. Names are compared in any case. */
export function listPrice(provider: string, region: string, name: string): ListPrice | undefined {
  const sheets = isEuro(provider) ? undefined : sheetsOf(provider);
  const listed = sheets && priceIn(sheets, region.toLowerCase(), name);
  const newer = newerPrice(provider, region, name);
  return newer ? { ...OF_NO_LIST, ...listed, ...newer, isComputed: false } : listed;
}

/** @param usdPerEuro 0: not known @returns undefined for what is not sold in EUR, or without a rate */
export function euroPrice(
  provider: string,
  region: string,
  name: string,
  usdPerEuro: number,
): ListPrice | undefined {
  const sheets = isEuro(provider) && usdPerEuro > 0 ? sheetsOf(provider) : undefined;
  const listed = sheets && priceIn(sheets, region.toLowerCase(), name);
  return listed && { ...listed, usdPerHour: listed.usdPerHour * usdPerEuro };
}

function isEuro(provider: string): boolean {
  return EURO_PROVIDERS.some((one) => one.toLowerCase() === provider.toLowerCase());
}

const OF_NO_LIST = { gpuModel: '', gpuMemoryGiB: NaN } as const;

/**
 * All types of a region, by name; none of a region that the list has not.
 * @param isMeant whether a type of that name, in lower case, is wanted: a line is read for those alone
 */
export function listPricesIn(
  provider: string,
  region: string,
  isMeant: (name: string) => boolean = () => true,
): ListPrice[] {
  const names = new Set(isEuro(provider) ? [] : sheetsOf(provider)?.onDemand.names());
  for (const { name } of newerIn(provider, region)) names.add(name.toLowerCase());
  return [...names].filter(isMeant).flatMap((name) => listPrice(provider, region, name) ?? []);
}

/** The provider as the list has it; undefined for one that the list has not. */
export function listedProvider(name: string): string | undefined {
  return [...LISTED_PROVIDERS, ...EURO_PROVIDERS].find(
    (one) => one.toLowerCase() === name.toLowerCase(),
  );
}

/** When the prices of a provider were collected; undefined for one that the list has not. */
export function listPricesCollected(provider: string): string | undefined {
  return sheetsOf(provider)?.onDemand.collected;
}

/** The regions of a provider; `*` is every region. */
export function listedRegions(provider: string): readonly string[] {
  return sheetsOf(provider)?.onDemand.regions ?? [];
}

/** A provider's files are read when one of its types is first asked for. */
function sheetsOf(name: string): Sheets | undefined {
  const provider = listedProvider(name);
  if (provider === undefined) return undefined;
  const known = read.get(provider);
  if (known) return known;
  const [file, spotFile] = [`${provider.toLowerCase()}.csv`, `${provider.toLowerCase()}-spot.csv`];
  const sheets = {
    provider,
    onDemand: new PriceSheet(listText(file), file, SIZES),
    spot: WITHOUT_SPOT.includes(provider)
      ? undefined
      : new PriceSheet(listText(spotFile), spotFile, 0),
  };
  read.set(provider, sheets);
  return sheets;
}

function priceIn(
  { provider, onDemand, spot }: Sheets,
  region: string,
  name: string,
): ListPrice | undefined {
  const row = onDemand.row(name);
  const price = row && onDemand.priceIn(row, region);
  if (!row || !price) return undefined;
  const spotRow = spot?.row(name);
  const spotPrice = spotRow && spot?.priceIn(spotRow, region);
  const [written = '', , , , gpuModel = '', gpuMemory = '', sharedCore, architecture] = row.cells;
  return {
    provider,
    region,
    name: written,
    cpuCores: onDemand.number(row, 1),
    ramGiB: onDemand.number(row, 2),
    gpus: onDemand.number(row, 3),
    gpuModel,
    gpuMemoryGiB: gpuMemory === '' ? NaN : onDemand.number(row, 5),
    usdPerHour: price.usdPerHour,
    spotUsdPerHour: spotPrice?.usdPerHour ?? NaN,
    isComputed: price.isComputed,
    isSharedCore: sharedCore === 'true',
    architecture: architecture === 'ARM' ? 'ARM' : 'x86',
  };
}
