/** Bills of the demo's days, imported as cloud and as external costs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { focusCsv, type FocusRow } from '../../test/support/stores/focus-rows.ts';
import { seededRandom } from '../../bench/random.ts';
import { NOW, type Place } from './server.ts';

const HOUR_MS = 3_600_000;
const SERVICES: readonly string[] = ['EC2', 'S3', 'RDS "fast"', 'Lambda, small', '=SUM(1)', '東京'];
const REGIONS: readonly string[] = ['us-east-1', 'eu-central-1', ''];
const TEAMS: readonly string[] = ['payments', 'search', 'ci', 'no such namespace', ''];

/** Writes bills of so many charges in the days before NOW, and imports them. */
export async function importBills(
  tree: string,
  { dataDir }: Place,
  folder: string,
  charges: number,
): Promise<void> {
  for (const [seed, purpose] of [[1, 'cloud'] as const, [2, 'external'] as const]) {
    const path = join(folder, `${purpose}.csv`);
    const file = createWriteStream(path);
    file.end(focusCsv(...rows(seed, charges)));
    await once(file, 'finish');
    const settings = [`--data-dir=${dataDir}`, '--timezone=UTC', `--now=${NOW}`, '--quiet'];
    const command = ['import', 'focus', path, `--as=${purpose}`, ...settings];
    const child = spawn(process.execPath, [join(tree, 'src/prorata.js'), ...command], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`cannot import the ${purpose} bill: ${code}`);
  }
}

function rows(seed: number, charges: number): FocusRow[] {
  const random = seededRandom(seed);
  const pick = (of: readonly string[]): string => of[Math.floor(random() * of.length)] ?? '';
  const lastMs = Date.parse(NOW);
  return Array.from({ length: charges }, (_, i) => {
    const startMs = lastMs - HOUR_MS * (1 + Math.floor(random() * 72));
    const cost = (Math.floor(random() * 1e6) / 1e4).toString();
    const tags = { team: pick(TEAMS), kubernetes_namespace: pick(TEAMS), row: `r${i % 700}` };
    return {
      BilledCost: cost,
      EffectiveCost: cost,
      ListCost: cost,
      ContractedCost: cost,
      BillingPeriodStart: '2024-06-01T00:00:00Z',
      BillingPeriodEnd: '2024-07-01T00:00:00Z',
      ChargePeriodStart: new Date(startMs).toISOString(),
      ChargePeriodEnd: new Date(startMs + HOUR_MS).toISOString(),
      ResourceId: `resource-${i % 900}`,
      RegionId: pick(REGIONS),
      ServiceName: pick(SERVICES),
      Tags: JSON.stringify(tags),
    };
  });
}
