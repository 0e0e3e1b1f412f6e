/** Where prices come from, as people read it. */
import { UNKNOWN } from '../format.ts';
import { own } from './own.ts';

const PRICES: Readonly<Record<string, string>> = {
  bill: 'the bill of the cloud',
  recentBill: 'what the bill charged last',
  series: 'price series of the metrics store',
  file: 'the file of node types',
  list: 'list prices',
  book: 'the price book',
  fargate: 'list prices of EKS Fargate',
  autopilot: 'list prices of GKE Autopilot',
  windows: 'list prices with the Windows licence',
  virtual: 'virtual nodes, which cost nothing themselves',
  kwok: 'simulated nodes',
  mixed: 'several sources',
};

/** @param source as rows tell it; null or '': not known */
export function priceWords(source: string | null): string {
  return source === null || source === '' ? UNKNOWN : (own(PRICES, source) ?? source);
}
