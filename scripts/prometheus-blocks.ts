/** Turns OpenMetrics text into blocks of a Prometheus data folder, with Prometheus' own tool. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';

/**
 * Makes blocks of up to 62 days: two hours, as Prometheus cuts them, read the whole file once per block, which
 * takes hours for months of data.
 * @param folder made when missing; Prometheus takes it as `--storage.tsdb.path`
 * @param longest the longest block, as promtool reads durations
 * @throws when promtool is missing or refuses the file, with what it said
 */
export async function createBlocks(
  file: string,
  folder: string,
  longest: string = '1488h',
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const command = ['tsdb', 'create-blocks-from', 'openmetrics', `--max-block-duration=${longest}`];
  const child = spawn('promtool', [...command, '--quiet', file, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`cannot load ${file}: promtool ended with ${code}: ${said}`);
}
