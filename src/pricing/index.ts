export { BYTES_PER_GIB, type PriceBook } from './book.ts';
export {
  EURO_PROVIDERS,
  euroPrice,
  LISTED_PROVIDERS,
  listedRegions,
  listPrice,
  listPricesCollected,
  listPricesIn,
  type ListPrice,
} from './list-prices.ts';
export { regionRates, type RegionRates } from './rate-list.ts';
export {
  balancerPrice,
  egressUsdPerGiB,
  isPrivateAddress,
  serverlessRates,
  storageUsdPerGiBHour,
  unbilledVolume,
  type BalancerPrice,
  type ChargedPlace,
  type Egress,
  type UnbilledVolume,
  type VolumeKind,
} from './list-charges.ts';
export {
  cloudOfVersion,
  CONTROL_PLANE_TIERS,
  controlPlanePrice,
  higherVersion,
  type ControlPlane,
  type ControlPlanePrice,
} from './control-planes.ts';
export { gpuModelNamed, type GpuModel } from './gpu-models.ts';
export { listPriceOf, listRates, type ListRates } from './list-rates.ts';
export {
  createCatalogue,
  type CataloguedPrice,
  type NodeCatalogue,
  type NodeKind,
  type NodePriceSources,
} from './node-catalogue.ts';
export { newerCollected, newerPrice, useNewerPrices, type NewerPrices } from './newer-prices.ts';
export { placeOfNode } from './node-place.ts';
export {
  parseNodeTypes,
  USD_PER_HOUR_MAX,
  type Architecture,
  type NodeSize,
  type NodeType,
  type OwnPrice,
} from './node-types.ts';
export { bookRates, discountFactor, ownRates, typeRates, type NodeRates } from './rates.ts';
export { partedPrice } from './parted-types.ts';
export { sourceOfAll, type PriceSource } from './price-source.ts';
export { usualTypes } from './usual-types.ts';
