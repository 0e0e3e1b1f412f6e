// Piscina's entry for the pool's tests, as workers/entry.js is for the product.
import { register } from 'tsx/esm/api';

register();
const tasks = await import('./pool-tasks.ts');
const { takeHeapAt } = await import('../../../src/columnar/index.ts');

/** @param {{ name: string, input: Uint8Array, place: number }} call */
export default function run(call) {
  takeHeapAt(call.place);
  return tasks[call.name](call.input);
}
