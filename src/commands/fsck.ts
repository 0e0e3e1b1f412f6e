/** `prorata fsck`: checks all bytes of the stored sets, and changes nothing. */
import { Fault } from '../query/index.ts';
import { fsck as check, type Report } from '../storage/index.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { loadSettings } from '../terminal/settings.ts';

const FLAGS: readonly Flag[] = [
  { name: 'json', help: '{"folder", "sets", "bytes", "damages": [{"what", "reason"}], "notes"}' },
];

const HELP = `prorata fsck --data-dir FOLDER [flags]

  Reads every byte of the sets in the folder and compares it with the checksums of the manifest.
  Changes nothing; a server may be running on the folder. Ends with 0 when all is well, with 1 when
  something is damaged, with 2 on wrong usage.

  prorata fsck --data-dir /var/lib/prorata --json

${flagsHelp(FLAGS)}`;

export async function fsck(argv: readonly string[]): Promise<void> {
  const { isJson, loaded } = usage(FLAGS, () => {
    const { values, rest } = takeFlags(argv, FLAGS);
    const settings = loadSettings(rest);
    if (settings.help === undefined && settings.config.dataDir === undefined) {
      throw new Fault('fsck needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
    }
    return { isJson: values.has('json'), loaded: settings };
  });
  const { dataDir } = loaded.config;
  if (loaded.help !== undefined || dataDir === undefined) {
    process.stdout.write(`${HELP}\n${loaded.help}\n`);
    return;
  }
  const report = await check(dataDir);
  process.stdout.write(
    isJson ? `${JSON.stringify({ folder: dataDir, ...report })}\n` : reportText(report),
  );
  if (report.damages.length > 0) process.exitCode = 1;
}

function reportText({ sets, bytes, damages, notes }: Report): string {
  const damaged = damages.map(({ what, reason }) => `damaged: ${what}: ${reason}`);
  const all = `${sets} sets checked, ${bytes} bytes whole, ${damages.length} damaged`;
  return [...damaged, ...notes, all].map((line) => `${line}\n`).join('');
}
