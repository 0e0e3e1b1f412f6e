/**
 * Writes src/pricing/list-prices.csv: of a whole price list, in the form of `--node-types`, the types
 * that Kubernetes nodes are usually made of.
 *
 *   node --import tsx scripts/list-prices.ts PRICES.csv
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** By provider: general, compute and memory families of the last years, burstable ones, and GPUs. */
const USUAL: Readonly<Record<string, RegExp>> = {
  AWS: /^(t3a?|t4g|[cmr](5a?|6[agi]|7[agi]|8[agi])|m7i-flex|c7i-flex|x2gd|g4dn|g5|g6)\.\d*(nano|micro|small|medium|x?large)$/,
  GCP: /^(e2|n1|n2d?|n4|t2[ad]|c2|c3d?|c4a?|f1|g1|g2)-(micro|small|medium|standard|highcpu|highmem)(-\d+g?)?$/,
  Azure:
    /^Standard_(B\d+[ap]?l?s_v2|[DE]\d+[ap]?d?s_v[56]|D\d+[ap]?ls_v[56]|F\d+a?l?s_v[26]|NC\d+as_T4_v3)$/,
};
const CORES_MAX = 96;

/**
 * Cores that a machine may use for long, where the list has those it shows
 * (https://cloud.google.com/compute/docs/general-purpose-machines#sharedcore).
 */
const SHARED_CORES: Readonly<Record<string, string>> = { 'f1-micro': '0.2', 'g1-small': '0.5' };

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('name the price list');
const [header = '', ...rows] = readFileSync(path, 'utf8').trim().split('\n');
const kept = rows.map(sustained).filter((row) => {
  const [provider = '', , name = '', cpuCores] = row.split(',');
  return USUAL[provider]?.test(name) === true && Number(cpuCores) <= CORES_MAX;
});
const target = fileURLToPath(new URL('../src/pricing/list-prices.csv', import.meta.url));
writeFileSync(target, [header, ...kept, ''].join('\n'));
process.stdout.write(`${kept.length} of ${rows.length} types\n`);

function sustained(row: string): string {
  const [provider, region, name = '', cpuCores, ...rest] = row.split(',');
  return [provider, region, name, SHARED_CORES[name] ?? cpuCores, ...rest].join(',');
}
