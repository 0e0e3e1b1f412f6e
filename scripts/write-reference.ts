/**
 * Writes docs/api/reference.md from the document of the API.
 */
import { writeFileSync } from 'node:fs';
import { servedDocument } from '../test/support/servers/served-document.ts';
import { referenceOf } from './api-reference.ts';
import { commandLine } from './commands.ts';

commandLine('write-reference');
writeFileSync(
  new URL('../docs/api/reference.md', import.meta.url),
  referenceOf(await servedDocument()),
);
