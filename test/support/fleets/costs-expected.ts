/** What the fleet of costs-fleet.ts costs, in closed form. */
import {
  BALANCERS,
  CPU_USD,
  EGRESS_USD,
  EVER,
  GPU_USD,
  INTERFACES,
  PODS,
  RAM_USD,
  steady,
  STORAGE_USD,
  VOLUMES,
  WINDOW_MINUTES,
  type Egress,
  type Minutes,
  type Step,
} from './costs-fleet.ts';

const GIB = 2 ** 30;

/** Hours that a step function's value holds within a span and the window, times the value. */
function hoursOf([before, at, after]: Step, [from, to]: Minutes): number {
  const start = Math.min(Math.max(from, 0), WINDOW_MINUTES);
  const end = Math.min(to, WINDOW_MINUTES);
  const early = Math.max(0, Math.min(end, at) - start);
  return (before * early + after * (end - start - early)) / 60;
}

const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);

/** Price × hours, price × bytes: what all rows must add up to. */
export function expectedCosts(): Readonly<Record<string, number>> {
  const containers = PODS.flatMap(({ life, containers: list }) =>
    list.map((one) => {
      return { ...one, span: life, hours: hoursOf(steady(1), life) };
    }),
  );
  const egressUsd = (kind: Egress): number =>
    sum(
      PODS.map(({ life, egress }) =>
        egress?.[0] === kind ? ((egress[1] * 3600) / GIB) * hoursOf(EGRESS_USD[kind], life) : 0,
      ),
    );
  const kinds = { zone: egressUsd('zone'), region: egressUsd('region') };
  const internet = egressUsd('internet');
  const transferBytes = sum(Object.values(INTERFACES)) * WINDOW_MINUTES * 60;
  return {
    cpuCoreHours: sum(containers.map(({ cpu, hours }) => cpu * hours)),
    cpuCost: sum(containers.map(({ cpu, span }) => cpu * hoursOf(CPU_USD, span))),
    ramByteHours: sum(containers.map(({ ramGib, hours }) => ramGib * GIB * hours)),
    ramCost: sum(containers.map(({ ramGib, hours }) => ramGib * hours * RAM_USD)),
    gpuHours: sum(containers.map(({ gpu, hours }) => gpu * hours)),
    gpuCost: sum(containers.map(({ gpu, hours }) => gpu * hours * GPU_USD)),
    pvByteHours: sum(VOLUMES.map(({ gib, life }) => hoursOf(gib, life) * GIB)),
    pvCost: sum(VOLUMES.map(({ gib, life, usd }) => hoursOf(gib, life) * (usd ?? STORAGE_USD))),
    networkTransferBytes: transferBytes,
    networkReceiveBytes: 2 * transferBytes,
    networkCrossZoneCost: kinds.zone,
    networkCrossRegionCost: kinds.region,
    networkInternetCost: internet,
    networkCost: kinds.zone + kinds.region + internet,
    loadBalancerCost: sum(BALANCERS.map(({ usd, life }) => hoursOf(usd, life))),
  };
}

/** Some rows, by the end of their name: who pays for what, over the whole window. */
export function expectedRows(): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const untilLoneliness = hoursOf(steady(1), [0, 30]) + hoursOf(steady(1), [200, 360]);
  // v2 is a's, but for the half hour that d shares; its containers pay evenly.
  const ofD = (8 * 0.5) / 2;
  const ofA = (hoursOf([4, 120, 8], EVER) - ofD) / 3;
  const web = hoursOf([0.025, 100, 0.04], EVER);
  return {
    'shop/shop-unmounted-pvcs/__unmounted__': { pvByteHours: 10 * GIB * untilLoneliness },
    'idle/idle-unmounted-pvcs/__unmounted__': { pvByteHours: GIB * (6 * 6 + 3 * 5), cpuCost: 0 },
    '__unmounted__/__unmounted__/__unmounted__': {
      pvByteHours: 2 * GIB * 3,
      pvCost: 2 * 3 * 0.002,
      loadBalancerCost: 4 * 0.05,
    },
    'shop/a/a1': { pvByteHours: GIB * ofA, networkTransferBytes: (1300 * 6 * 3600) / 3 },
    'shop/a/a2': { pvByteHours: GIB * ofA, networkTransferBytes: (1300 * 6 * 3600) / 3 },
    'shop/a/later': { pvByteHours: GIB * ofA, networkTransferBytes: (1300 * 6 * 3600) / 3 },
    'shop/b/b1': { pvByteHours: GIB * 10 * (1.5 + 0.25), loadBalancerCost: web * (120 / 151) },
    'shop/c/c1': { pvByteHours: GIB * 10 * (50 / 60 + 0.25), loadBalancerCost: 0 },
    'shop/d/d1': { pvByteHours: GIB * ofD, loadBalancerCost: web * (30 / 151) },
    'shop/e/e1': { pvCost: (50 * 0.7) / 60, loadBalancerCost: web * (1 / 151) },
  };
}
