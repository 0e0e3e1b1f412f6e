/** `prorata fsck`: checks all bytes of the stored sets and of received samples, and changes nothing. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { Fault } from '../query/index.ts';
import { fsckReceiver, type ReceiverChecked } from '../receiver/index.ts';
import { receiverFolder } from '../server/parts/receiver-folder.ts';
import { clickHousePlaceOf, objectPlaceOf } from '../server/open-sets.ts';
import type { Config } from '../settings/config.ts';
import { nameOfStorePlace, storeOf } from '../settings/store.ts';
import { ClickHouseStore } from '../storage/clickhouse/clickhouse-store.ts';
import { fsck as check, type Report } from '../storage/index.ts';
import { fsckObjects } from '../storage/objects/fsck.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { loadSettings } from '../terminal/settings.ts';

const FLAGS: readonly Flag[] = [
  {
    name: 'json',
    help: '{"folder", "sets", "bytes", "damages": [{"what", "reason"}], "notes", "received"}; received is null where no samples are, else {"blocks", "series", "samples", "logRows"}',
  },
];

/** Blocks that are being written or removed. */
const UNFINISHED = /\.tmp-for-(creation|deletion)$/;

const HELP = `prorata fsck --data-dir FOLDER [flags], or with --store URL

  Reads every byte of the sets in the folder, bucket or database and compares it with the checksums of the
  manifest; and of received samples, where there are some, whose newest are in use while a server is running.
  Changes nothing; a server may be running on the folder. Ends with 0 when all is well, with 1 when
  something is damaged, with 2 on wrong usage.

  prorata fsck --data-dir /var/lib/prorata --json

${flagsHelp(FLAGS)}`;

export async function fsck(argv: readonly string[]): Promise<void> {
  const { isJson, loaded } = usage(FLAGS, () => {
    const { values, rest } = takeFlags(argv, FLAGS);
    const settings = loadSettings(rest);
    if (settings.help === undefined && storeOf(settings.config).kind === 'memory') {
      throw new Fault('fsck needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
    }
    return { isJson: values.has('json'), loaded: settings };
  });
  const { config } = loaded;
  if (loaded.help !== undefined) {
    process.stdout.write(`${HELP}\n${loaded.help}\n`);
    return;
  }
  const ofSets = await checkedSets(config);
  const { dataDir } = config;
  const received = dataDir === undefined ? undefined : await checkedSamples(dataDir);
  const damages = [...ofSets.damages, ...damagesOf(received, dataDir ?? '')];
  const folder = nameOfStorePlace(storeOf(config));
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ folder, ...ofSets, damages, received: countsOf(received) })}\n`
      : reportText({ ...ofSets, damages }, received),
  );
  if (damages.length > 0) process.exitCode = 1;
}

async function checkedSets(config: Config): Promise<Report> {
  const store = storeOf(config);
  if (store.kind === 'folder') return await check(store.folder);
  if (store.kind === 'bucket')
    return await fsckObjects(objectPlaceOf(config, store), new AbortController().signal);
  if (store.kind === 'clickhouse') {
    const sets = new ClickHouseStore({
      ...clickHousePlaceOf(config, store),
      note: () => undefined,
      isReadOnly: true,
    });
    await sets.open();
    try {
      return await sets.verify();
    } finally {
      await sets.close();
    }
  }
  throw new Error('BUG: sets in memory are checked');
}

async function checkedSamples(dataDir: string): Promise<ReceiverChecked | undefined> {
  const folder = receiverFolder(dataDir);
  return existsSync(folder) ? await fsckReceiver(folder) : undefined;
}

function damagesOf(received: ReceiverChecked | undefined, dataDir: string): Report['damages'] {
  if (received === undefined) return [];
  // A server that has the folder is about to finish them.
  const isInUse = received.logRows === undefined;
  return received.findings
    .filter(({ path }) => !(isInUse && UNFINISHED.test(path)))
    .map(({ path, offset, message }) => ({
      what: relative(dataDir, path),
      reason: offset === undefined ? message : `${message}, at byte ${offset}`,
    }));
}

function countsOf(received: ReceiverChecked | undefined): object | null {
  if (received === undefined) return null;
  const { blocks, series, samples, logRows = null } = received;
  return { blocks, series, samples, logRows };
}

function reportText(
  { sets, bytes, damages, notes }: Report,
  received: ReceiverChecked | undefined,
): string {
  const damaged = damages.map(({ what, reason }) => `damaged: ${what}: ${reason}`);
  const all = `${sets} sets checked, ${bytes} bytes whole, ${damages.length} damaged`;
  const ofSamples = received === undefined ? [] : [samplesText(received)];
  return [...damaged, ...notes, ...ofSamples, all].map((line) => `${line}\n`).join('');
}

function samplesText({ blocks, series, samples, logRows }: ReceiverChecked): string {
  const newest =
    logRows === undefined ? 'newer ones are in use' : `${logRows} commits of newer ones`;
  return `received samples checked: ${samples} of ${series} series in ${blocks} blocks, ${newest}`;
}
