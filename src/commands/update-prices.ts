/** Newer list prices from a file, checked before anything is kept. */
import type { NewerPrices, NodeType, OwnPrice } from '../pricing/index.ts';
import { Fault } from '../query/index.ts';

/**
 * @param path of the file, as errors name it
 * @param collected such as `2026-11-22`
 * @throws {Fault} naming the first row that is no price of a machine in one place
 */
export function newerPricesOf(
  prices: readonly OwnPrice[],
  path: string,
  collected: string,
): NewerPrices {
  return { collected, types: prices.map((price, i) => machineOf(price, `${path}, row ${i + 2}`)) };
}

const NEEDED = ['provider', 'region', 'name'] as const;

function machineOf(price: OwnPrice, at: string): NodeType {
  for (const column of NEEDED) {
    if (price[column] === '')
      throw new Fault(`${at}, column ${column}: '' is not a name`, { hint: EXAMPLE });
  }
  const own = price.pool || price.zone || price.gpuModel;
  if (own !== '') {
    throw new Fault(
      `${at}: '${own}' is a pool, a zone or a GPU model, and list prices are of a region`,
      {
        hint: 'name prices of your own with --node-types',
      },
    );
  }
  if (price.usdPerHour !== price.usdPerHour) {
    throw new Fault(`${at}, column hourlyPrice: '' is not a price in USD an hour`, {
      hint: EXAMPLE,
    });
  }
  const { provider, region, name, cpuCores, ramGiB, gpus } = price;
  const { usdPerHour, spotUsdPerHour, isSharedCore, architecture } = price;
  const size = { cpuCores, ramGiB, gpus };
  return {
    provider,
    region,
    name,
    ...size,
    usdPerHour,
    spotUsdPerHour,
    isSharedCore,
    architecture,
  };
}

const EXAMPLE =
  'provider,region,name,vCPUs,RAMGB,hourlyPrice and a row such as AWS,us-east-1,m5.large,2,8,0.096';
