/** The types that Kubernetes nodes are usually made of: what cluster sizing chooses from. */
import { listedProvider, listPricesIn } from './list-prices.ts';
import type { NodeType } from './node-types.ts';

/** In lower case, by provider: general, compute and memory families of the last years, burstable ones, and GPUs. */
const USUAL: Readonly<Record<string, RegExp>> = {
  AWS: /^(t3a?|t4g|[cmr](5a?|6[agi]|7[agi]|8[agi])|m7i-flex|c7i-flex|x2gd|g4dn|g5|g6)\.\d*(nano|micro|small|medium|x?large)$/,
  GCP: /^(e2|n1|n2d?|n4|t2[ad]|c2|c3d?|c4a?|f1|g1|g2)-(micro|small|medium|standard|highcpu|highmem)(-\d+g?)?$/,
  Azure:
    /^standard_(b\d+[ap]?l?s_v2|[de]\d+[ap]?d?s_v[56]|d\d+[ap]?ls_v[56]|f\d+a?l?s_v[26]|nc\d+as_t4_v3)$/,
};
const CORES_MAX = 96;

/** With list prices; all types of a provider that has no families. */
export function usualTypes(provider: string, region: string): NodeType[] {
  const families = USUAL[listedProvider(provider) ?? ''];
  return listPricesIn(provider, region, (name) => families?.test(name) ?? true).filter(
    ({ cpuCores }) => cpuCores <= CORES_MAX,
  );
}
