/** How facts about services, their endpoints and load balancers are read into the inventory. */
import type { SeriesRecord } from '../../columnar/index.ts';
import { LABEL_NAMES, type FactName } from '../../metrics/catalogue.ts';
import { at, first, type Balancer, type Inventory } from './inventory.ts';
import { joined } from '../row/joined.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import { textsOf } from './texts.ts';

type Reader = (inventory: Inventory, record: SeriesRecord) => void;

type ServiceFact =
  | 'balancerPrice'
  | 'serviceIngress'
  | 'serviceSelector'
  | 'endpointAddress'
  | 'sliceLabels'
  | 'sliceEndpoint';

export const SERVICE_READERS: Readonly<Record<ServiceFact & FactName, Reader>> = {
  balancerPrice(inventory, record) {
    const address = record.label('ingress_ip');
    const key = joined(serviceOf(inventory, record), address);
    const balancer = at(inventory.balancers, key, () => balancerOf(inventory, record, address));
    inventory.see(balancer, record);
    balancer.presence.add(record);
    balancer.price.add(record.pairs);
  },
  serviceIngress(inventory, record) {
    const address = record.label('hostname') || record.label('ip');
    const key = joined(serviceOf(inventory, record), address);
    const balancer = at(inventory.ingresses, key, () => balancerOf(inventory, record, address));
    balancer.presence.add(record);
  },
  serviceSelector(inventory, record) {
    const key = serviceOf(inventory, record);
    inventory.selectors.set(key, textsOf(record, 'label_', inventory.selectors.get(key)));
  },
  endpointAddress(inventory, record) {
    const place = placeOf(inventory, record);
    const service = first(record, LABEL_NAMES.endpoint);
    inventory.endpoints.addAddress(place, record.label('ip'), service, record);
  },
  sliceLabels(inventory, record) {
    const service = record.label('label_kubernetes_io_service_name');
    const slice = record.label('endpointslice');
    inventory.endpoints.nameSlice(placeOf(inventory, record), slice, service);
  },
  sliceEndpoint(inventory, record) {
    const pod = record.label('targetref_name');
    const slice = record.label('endpointslice');
    inventory.endpoints.addPod(placeOf(inventory, record), pod, slice, record);
  },
};

function balancerOf(inventory: Inventory, record: SeriesRecord, address: string): Balancer {
  return {
    cluster: inventory.clusterOf(record),
    namespace: first(record, LABEL_NAMES.namespace),
    service: first(record, LABEL_NAMES.service),
    address,
    presence: new Presence(inventory.options.gapMs),
    price: new Runs(),
  };
}

/** `cluster\0namespace\0service` */
function serviceOf(inventory: Inventory, record: SeriesRecord): string {
  return joined(placeOf(inventory, record), first(record, LABEL_NAMES.service));
}

/** `cluster\0namespace` */
function placeOf(inventory: Inventory, record: SeriesRecord): string {
  return joined(inventory.clusterOf(record), first(record, LABEL_NAMES.namespace));
}
