/** Files of list prices are read when one of their prices is first asked for, each once. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PRICING = new URL('../../src/pricing/index.ts', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Notes names of files that are read, in a process that has read none. */
const SCRIPT = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { readFileSync } = fs;
let files = [];
fs.readFileSync = (path, ...options) => {
  const [, file] = /src.pricing.list.(.*)$/.exec(String(path)) ?? [];
  if (file !== undefined) files.push(file);
  return readFileSync(path, ...options);
};
syncBuiltinESMExports();
const all = [];
const note = (step) => { step(); all.push(files); files = []; };
const { listPrice, regionRates } = await import(${JSON.stringify(PRICING)});
note(() => undefined);
note(() => listPrice('AWS', 'us-east-1', 'm5.large'));
note(() => listPrice('AWS', 'eu-west-1', 'c5.large'));
note(() => regionRates('GCP', 'us-central1'));
note(() => listPrice('GCP', 'us-central1', 'e2-standard-4'));
process.stdout.write(JSON.stringify(all));
`;

test('nothing is read at the start, then the files of the provider that is asked for', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', SCRIPT],
    { cwd: ROOT },
  );
  assert.deepEqual(
    JSON.parse(stdout.toString() || 'null'),
    [[], ['aws.csv', 'aws-spot.csv'], [], ['rates.csv'], ['gcp.csv', 'gcp-spot.csv']],
    stderr.toString(),
  );
});
