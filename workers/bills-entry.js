// Piscina's entry where nothing but bills is read, which takes a third of the memory of all tasks.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const tasks = await import('./bills.ts');

/** @param {{ name: string, input: Uint8Array }} call */
export default function run(call) {
  return tasks[call.name](call.input);
}
