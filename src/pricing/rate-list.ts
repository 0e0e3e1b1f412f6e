/** List prices of what is no node type: rates of cores and GiB, volumes, load balancers, traffic, clusters. */
import { listText } from './list-text.ts';

/** What a core and a GiB cost in a region, of the prices of its usual types: USD an hour. */
export interface RegionRates {
  readonly cpuCoreHour: number;
  readonly ramGiBHour: number;
}

/** USD by provider, region and item; by variant too. Read when the first is asked for. */
let rates: ReadonlyMap<string, number> | undefined;

/**
 * The price of an item, USD for the unit that the list has it in; undefined where there is none.
 * Names are compared in any case.
 * @param variant '' for an item that has one in each region
 */
export function listedRate(
  provider: string,
  region: string,
  item: string,
  variant: string = '',
): number | undefined {
  rates ??= readRates(listText('rates.csv'));
  return rates.get(keyOf(provider, region, item, variant));
}

/** What a core and a GiB cost in a region; undefined where it is not known. */
export function regionRates(provider: string, region: string): RegionRates | undefined {
  const cpuCoreHour = listedRate(provider, region, 'region-cpu');
  const ramGiBHour = listedRate(provider, region, 'region-ram');
  return cpuCoreHour === undefined || ramGiBHour === undefined
    ? undefined
    : { cpuCoreHour, ramGiBHour };
}

function readRates(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [provider = '', region = '', item = '', variant = '', , price] = line.split(',');
    found.set(keyOf(provider, region, item, variant), Number(price));
    found.set(keyOf(provider, region, item, ''), Number(price));
  }
  return found;
}

function keyOf(...names: readonly string[]): string {
  return names.join('\0').toLowerCase();
}
