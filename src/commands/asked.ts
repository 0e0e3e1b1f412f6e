/** A command that reads its arguments, then tells its help, or runs until it is done or interrupted. */
import { usage, type Flag } from './flags.ts';
import { interruptible } from './interrupt.ts';

/** Help was asked for: that of the settings, which the command's own stands above. */
export class SettingsHelp {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface AskedCommand<Asked> {
  readonly flags: readonly Flag[];
  readonly help: string;
  /** @throws {Fault} for arguments that the command does not take */
  readonly read: (argv: readonly string[]) => Asked | SettingsHelp;
  readonly run: (asked: Asked, signal: AbortSignal) => Promise<void>;
}

/** @throws {Misuse} for arguments that the command does not take */
export async function runAsked<Asked>(
  { flags, help, read, run }: AskedCommand<Asked>,
  argv: readonly string[],
): Promise<void> {
  const asked = usage(flags, () => read(argv));
  if (asked instanceof SettingsHelp) process.stdout.write(`${help}\n${asked.text}\n`);
  else await interruptible((signal) => run(asked, signal));
}
