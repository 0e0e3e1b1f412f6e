/** A command that reads its arguments, then prints its help, or runs until it is done or interrupted. */
import { usage, type Flag } from './flags.ts';
import { interruptible } from './interrupt.ts';

/** The result for `--help`: the text on settings, printed below the command's own help. */
export class SettingsHelp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface ParsedCommand<Arguments> {
  readonly flags: readonly Flag[];
  readonly help: string;
  /** @throws {Fault} for arguments that the command does not accept */
  readonly read: (argv: readonly string[]) => Arguments | SettingsHelp;
  readonly run: (args: Arguments, signal: AbortSignal) => Promise<void>;
}

/** @throws {Misuse} for arguments that the command does not accept */
export async function runParsed<Arguments>(
  { flags, help, read, run }: ParsedCommand<Arguments>,
  argv: readonly string[],
): Promise<void> {
  const args = usage(flags, () => read(argv));
  if (args instanceof SettingsHelp) process.stdout.write(`${help}\n${args.text}\n`);
  else await interruptible((signal) => run(args, signal));
}
