// Piscina's entry among the sources. On Node 20 a thread has no loader for TypeScript, so it
// registers one first. The bundle has an entry of its own (scripts/build-bundle.ts).
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const { default: run } = await import('./compute.ts');
export default run;
