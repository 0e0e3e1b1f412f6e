/**
 * Writes docs/api/reference.md from the document of the API.
 *
 *   node --import tsx scripts/write-reference.ts
 */
import { writeFileSync } from 'node:fs';
import { servedDocument } from '../test/support/servers/served-document.ts';
import { referenceOf } from './api-reference.ts';

writeFileSync(
  new URL('../docs/api/reference.md', import.meta.url),
  referenceOf(await servedDocument()),
);
