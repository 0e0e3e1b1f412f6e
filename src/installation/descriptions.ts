/** How the routes that tell of the installation are described. */
import {
  bare,
  BOOLEAN,
  eachOf,
  envelope,
  jsonOf,
  mapOf,
  NUMBER,
  objectOf,
  TEXT,
  type Described,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';

const INFO: Schema = objectOf(eachOf(['id', 'name', 'profile', 'provisioner', 'version'], TEXT));
const CLUSTER = objectOf({
  ...eachOf(['id', 'name', 'profile', 'provider', 'account', 'project', 'region', 'provisioner'], TEXT),
  nodes: NUMBER,
}); // prettier-ignore
const CONFIGS = eachOf(['currencyCode', 'timezone', 'clusterId', 'clusterName', 'version'], TEXT);
/** Numbers are texts, as OpenCost has them. */
const NODE = objectOf({
  ...eachOf(['hourlyCost', 'CPU', 'CPUHourlyCost', 'RAM', 'RAMGBHourlyCost', 'gpu', 'gpuCost'], TEXT),
  ...eachOf(['instanceType', 'region', 'zone', 'providerID', 'usageType', 'pricingType'], TEXT),
  usesDefaultPrice: BOOLEAN,
}); // prettier-ignore
const KIND = objectOf({
  ...eachOf(['region', 'instanceType', 'usageType', 'pricingType'], TEXT),
  ...eachOf(['nodes', 'hourlyCost', 'CPUHourlyCost', 'RAMGBHourlyCost', 'gpuCost'], NUMBER),
});
const SOURCE = objectOf({ name: TEXT, enabled: BOOLEAN, available: BOOLEAN, nodes: NUMBER });
const told = (summary: string, data: Schema): Described => ({ summary, answers: envelope(data) });

export const INSTALLATION_API: DescribedRoom = {
  routes: {
    'GET /clusterInfo': told('The cluster of the server', INFO),
    'GET /clusterInfoMap': told('All clusters of the newest assets, by id', mapOf(CLUSTER)),
    'GET /getConfigs': told('The price book', mapOf(TEXT)),
    'GET /productConfigs': told('Currency, zone and names', objectOf(CONFIGS)),
    'GET /installInfo': {
      summary: 'The version, bare, as OpenCost tells it',
      answers: jsonOf(
        bare({ version: TEXT, clusterInfo: INFO, containers: { type: 'array', maxItems: 0 } }),
      ),
    },
    'GET /allNodePricing': told('Prices of nodes, by name', mapOf(NODE)),
    'GET /pricingSourceSummary': told('Prices of nodes, by kind', mapOf(KIND)),
    'GET /pricingSourceCounts': told(
      'How many nodes each source prices',
      objectOf({ TotalNodes: NUMBER, PricingTypeCounts: mapOf(NUMBER) }),
    ),
    'GET /pricingSourceStatus': told('Sources of prices, and which are used', mapOf(SOURCE)),
  },
};
