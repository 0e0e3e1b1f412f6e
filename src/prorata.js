#!/usr/bin/env node
// The command. Plain JavaScript, as Node 20 reads no TypeScript before a loader is registered.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

// Without this the loader would obey the tsconfig.json of whatever folder one stands in.
register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
await import('./main.ts');
