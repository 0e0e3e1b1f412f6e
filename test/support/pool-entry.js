// Piscina's entry for the pool's tests, as workers/entry.js is for the product.
import { register } from 'tsx/esm/api';

register();
const tasks = await import('./pool-tasks.ts');

/** @param {{ name: string, input: Uint8Array }} call */
export default function run(call) {
  return tasks[call.name](call.input);
}
