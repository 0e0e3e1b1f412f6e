/** How the routes that tell of the installation are described. */
import {
  envelope,
  jsonOf,
  listOf,
  mapOf,
  objectOf,
  TEXT,
  type Described,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';

const INFO: Schema = { type: 'object', required: ['id', 'name', 'version'] };
const told = (summary: string, data: Schema): Described => ({ summary, answers: envelope(data) });
const ITEMS = mapOf({ type: 'object' });

export const INSTALLATION_API: DescribedRoom = {
  routes: {
    'GET /clusterInfo': told('The cluster of the server', INFO),
    'GET /clusterInfoMap': told('All clusters of the newest assets, by id', ITEMS),
    'GET /getConfigs': told('The price book', mapOf(TEXT)),
    'GET /productConfigs': told('Currency, zone and names', { type: 'object' }),
    'GET /installInfo': {
      summary: 'The version, bare, as OpenCost tells it',
      answers: jsonOf(
        objectOf(
          { version: TEXT, clusterInfo: INFO, containers: listOf({}), warnings: listOf(TEXT) },
          ['warnings'],
        ),
      ),
    },
    'GET /allNodePricing': told('Prices of nodes, by name', ITEMS),
    'GET /pricingSourceSummary': told('Prices of nodes, by kind', ITEMS),
    'GET /pricingSourceCounts': told('How many nodes each source prices', { type: 'object' }),
    'GET /pricingSourceStatus': told('Sources of prices, and which are used', ITEMS),
  },
};
