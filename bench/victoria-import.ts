/**
 * Loads series into VictoriaMetrics as JSON lines
 * (https://docs.victoriametrics.com/#how-to-import-data-in-json-line-format).
 */
import type { SampledSeries } from './store-block.ts';

/** Characters of one request, about. */
const PART_LENGTH = 8e6;

/** They can be queried when this returns. @throws what the store answers but success */
export async function importSeries(url: string, series: readonly SampledSeries[]): Promise<void> {
  let lines: string[] = [];
  let length = 0;
  const send = async (): Promise<void> => {
    await succeed(`${url}/api/v1/import`, lines.join(''));
    lines = [];
    length = 0;
  };
  for (const one of series) {
    const { timesMs, values } = one.samples();
    const metric = Object.fromEntries(one.labels);
    const line = JSON.stringify({ metric, values: [...values], timestamps: [...timesMs] });
    lines.push(`${line}\n`);
    length += line.length;
    if (length > PART_LENGTH) await send();
  }
  await send();
  await succeed(`${url}/internal/force_flush`);
}

async function succeed(url: string, body?: string): Promise<void> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}
