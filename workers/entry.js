// Piscina's entry. On Node 20 a thread has no loader for TypeScript, so it registers one first.
import { register } from 'tsx/esm/api';

register();
const tasks = await import('./compute.ts');

/** @param {{ name: string, input: Uint8Array }} call */
export default function run(call) {
  return tasks[call.name](call.input);
}
