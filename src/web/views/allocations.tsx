/** What workloads cost, over time and as a table. */
import type { VNode } from '../preact.ts';

export function Allocations(): VNode {
  return <h1>Allocations</h1>;
}
