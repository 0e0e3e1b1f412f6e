/** Compares prices of machines with the list. */
import { LISTED_PROVIDERS, listPrice, type ListPrice, type OwnPrice } from '../pricing/index.ts';

/** A price that differs from the list's; null where the list has none. */
export interface Difference {
  readonly provider: string;
  readonly region: string;
  readonly name: string;
  readonly fileUsdPerHour: number;
  readonly listUsdPerHour: number | null;
  /** The file's price relative to the list's: 0.1 is 10 % more. */
  readonly change: number | null;
}

export interface Compared {
  readonly differing: readonly Difference[];
  /** Rows with the list's price. */
  readonly same: number;
  /** Rows of pools, and of prices of cores and GiB. */
  readonly notCompared: number;
}

/** Half of the last digit that price lists have: closer prices are the same. */
const ROUNDING_USD = 5e-7;

export function compareWithList(prices: readonly OwnPrice[]): Compared {
  const machines = prices.filter(isMachine);
  const compared = machines.map(difference);
  const differing = compared.filter(({ change }) => change !== 0);
  return {
    differing,
    same: machines.length - differing.length,
    notCompared: prices.length - machines.length,
  };
}

function difference({ provider, region, name, usdPerHour }: OwnPrice): Difference {
  const listed = listedAs(provider, region, name);
  const list = listed?.usdPerHour ?? null;
  const change =
    list === null ? null : Math.abs(usdPerHour - list) <= ROUNDING_USD ? 0 : usdPerHour / list - 1;
  const place = { provider: listed?.provider ?? provider, region, name };
  return { ...place, fileUsdPerHour: usdPerHour, listUsdPerHour: list, change };
}

function isMachine({ name, pool, gpuModel, usdPerHour }: OwnPrice): boolean {
  return name !== '' && pool === '' && gpuModel === '' && usdPerHour === usdPerHour;
}

/** A row without a provider is of the only one that has its type in its region. */
function listedAs(provider: string, region: string, name: string): ListPrice | undefined {
  const asked = provider === '' ? LISTED_PROVIDERS : [provider];
  const [price, other] = asked.flatMap((one) => listPrice(one, region, name) ?? []);
  return other ? undefined : price;
}
