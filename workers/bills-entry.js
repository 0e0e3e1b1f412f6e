// Piscina's entry where nothing but bills is read, which takes a third of the memory of all tasks.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const { default: run } = await import('./bills.ts');
export default run;
