/** Volumes and load balancers as assets: what they cost is what was charged for them, to whomever. */
import type { AssetAmount, AssetLife } from './asset-rows.ts';
import type { Balancer, Claim, Inventory, Volume } from '../inventory/inventory.ts';
import { joined } from '../row/joined.ts';
import { mergeStretches, type BalancerCharge } from './load-balancers.ts';
import type { Stretch } from '../inventory/presence.ts';
import type { VolumeCharge } from './volumes.ts';

interface Living {
  readonly stretches: readonly Stretch[];
}

/** @param lives by the place of the volume, as are the charges */
export function volumeAssets(
  inventory: Inventory,
  volumes: readonly Volume[],
  lives: readonly Living[],
  charges: readonly VolumeCharge[],
): AssetLife[] {
  const amounts = amountsOf(charges, ({ volume }) => volume);
  const claims = claimsByVolume(inventory);
  return volumes.map(({ cluster, name, providerId }, place) => {
    const claim = claims.get(joined(cluster, name));
    return {
      told: {
        type: 'Disk',
        cluster,
        name,
        providerID: providerId,
        volume: name,
        storageClass: claim?.storageClass ?? '',
        claim: claim?.name ?? '',
        claimNamespace: claim?.namespace ?? '',
      },
      stretches: mergeStretches(lives[place]?.stretches ?? []),
      amounts: amounts.get(place) ?? new Map(),
    };
  });
}

/** By `cluster\0volume`; of several claims the last that the store told of. */
function claimsByVolume({ claims }: Inventory): Map<string, Claim> {
  const found = new Map<string, Claim>();
  for (const claim of claims.values()) {
    for (const name of claim.byVolume.keys()) found.set(joined(claim.cluster, name), claim);
  }
  return found;
}

/** @param lives by the place of the balancer, as are the charges */
export function balancerAssets(
  balancers: readonly Balancer[],
  lives: readonly Living[],
  charges: readonly BalancerCharge[],
): AssetLife[] {
  const amounts = amountsOf(charges, ({ balancer }) => balancer);
  return balancers.map(({ cluster, namespace, service, address }, place) => ({
    told: {
      type: 'LoadBalancer',
      cluster,
      name: `${namespace}/${service}`,
      address,
      providerID: address,
    },
    stretches: mergeStretches(lives[place]?.stretches ?? []),
    amounts: amounts.get(place) ?? new Map(),
  }));
}

interface Charge {
  readonly set: number;
  readonly byteHours?: number;
  readonly cost: number;
}

/** By place and set; what several payers are charged adds up. */
function amountsOf<C extends Charge>(
  charges: readonly C[],
  placeOf: (charge: C) => number,
): Map<number, Map<number, AssetAmount>> {
  const amounts = new Map<number, Map<number, AssetAmount>>();
  for (const charge of charges) {
    const place = placeOf(charge);
    const own = amounts.get(place) ?? new Map<number, AssetAmount>();
    amounts.set(place, own);
    const before = own.get(charge.set) ?? { byteHours: 0, cost: 0 };
    own.set(charge.set, {
      byteHours: before.byteHours + (charge.byteHours ?? 0),
      cost: before.cost + charge.cost,
    });
  }
  return amounts;
}
