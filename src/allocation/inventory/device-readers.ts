/** How facts about devices by dynamic resource allocation are read into the inventory. */
import type { SeriesRecord } from '../../columnar/index.ts';
import { LABEL_NAMES, type FactName } from '../../metrics/catalogue.ts';
import { first, type Inventory } from './inventory.ts';
import { joined } from '../row/joined.ts';

type DeviceFact = 'podDeviceClaim' | 'claimedDevice' | 'nodeDevice';

/** '' before a claim is made of its template. */
function claimKey(inventory: Inventory, record: SeriesRecord, name: string): string {
  const namespace = first(record, LABEL_NAMES.namespace);
  return name === '' ? '' : joined(inventory.clusterOf(record), namespace, name);
}

export const DEVICE_READERS: Readonly<
  Record<DeviceFact & FactName, (inventory: Inventory, record: SeriesRecord) => void>
> = {
  podDeviceClaim(inventory, record) {
    const key = claimKey(inventory, record, record.label('resourceclaim_name'));
    const pod = inventory.podOf(record);
    if (pod && key !== '') inventory.deviceClaims.addPod(key, pod, record);
  },
  claimedDevice(inventory, record) {
    const key = claimKey(inventory, record, record.label('resourceclaim'));
    if (key === '') return;
    const pool = joined(inventory.clusterOf(record), record.label('pool'));
    inventory.deviceClaims.addDevice(key, pool, record);
  },
  nodeDevice(inventory, record) {
    const node = record.label('node_name');
    if (node === '') return;
    inventory.deviceClaims.addNodeDevice(joined(inventory.clusterOf(record), node), record);
  },
};
