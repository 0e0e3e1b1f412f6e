// Piscina's entry. On Node 20 a thread has no loader for TypeScript, so it registers one first.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const tasks = await import('./compute.ts');

/** @param {{ name: string, input: Uint8Array }} call */
export default function run(call) {
  return tasks[call.name](call.input);
}
