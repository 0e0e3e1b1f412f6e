/** Assets to test with. */
import type { Asset } from '../../../src/web/assets/asset.ts';

export const NOWHERE: Asset = {
  type: 'Node',
  properties: {},
  labels: {},
  start: '2026-11-01T00:00:00Z',
  end: '2026-11-02T00:00:00Z',
  minutes: 1440,
  adjustment: 0,
  totalCost: 0,
};

export function node(name: string, more: Partial<Asset> = {}): Asset {
  return { ...NOWHERE, properties: { name, cluster: 'prod' }, ...more };
}
