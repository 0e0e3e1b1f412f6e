/** Takes the flags of one command out of its arguments; the rest are settings. */
import { Fault, nearest } from '../query/index.ts';

export interface Flag {
  readonly name: string;
  /** A single letter, as in `-o`. */
  readonly short?: string;
  /** The value's name in help; a flag without one is on or off. */
  readonly value?: string;
  readonly help: string;
}

export interface TakenFlags {
  /** By name; '' for a flag without a value. The last one given counts. */
  readonly values: ReadonlyMap<string, string>;
  /** All other arguments: settings. */
  readonly rest: readonly string[];
}

/** Wrong usage: the command does nothing and ends with 2. */
export class Misuse extends Fault {}

/** @throws {Misuse} where `parse` throws a Fault */
export function usage<T>(flags: readonly Flag[], parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw asMisuse(flags, error);
  }
}

/** @throws {Fault} when a value is missing, or a flag without value gets one */
export function takeFlags(argv: readonly string[], flags: readonly Flag[]): TakenFlags {
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const [typed, inline] = split(argv[i] ?? '');
    const flag = flags.find(({ name, short = name }) => [`--${name}`, `-${short}`].includes(typed));
    if (flag === undefined) rest.push(argv[i] ?? '');
    else if (flag.value === undefined) {
      if (inline !== undefined) throw new Fault(`${typed} takes no value`, { parameter: typed });
      values.set(flag.name, '');
    } else {
      const value = inline ?? argv[++i];
      if (value === undefined || (inline === undefined && value.startsWith('--'))) {
        throw new Fault(`${typed} needs a value`, { hint: `${typed} ${flag.value}: ${flag.help}` });
      }
      values.set(flag.name, value);
    }
  }
  return { values, rest };
}

/** Separates arguments without `--` from settings, which all take a value. */
export function takeArguments(argv: readonly string[]): { given: string[]; rest: string[] } {
  const [given, rest]: [string[], string[]] = [[], []];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    if (argument === '--') {
      given.push(...argv.slice(i + 1));
      break;
    }
    if (!argument.startsWith('-') || argument === '-') {
      given.push(argument);
      continue;
    }
    rest.push(argument);
    const isWhole = argument.includes('=') || ['--help', '-h'].includes(argument);
    if (!isWhole && i + 1 < argv.length) rest.push(argv[++i] ?? '');
  }
  return { given, rest };
}

function split(argument: string): [typed: string, inline?: string] {
  const equals = argument.indexOf('=');
  const isFlag = argument.startsWith('-') && equals > 0;
  return isFlag ? [argument.slice(0, equals), argument.slice(equals + 1)] : [argument];
}

/** Names the flag instead of the parameter, and suggests the nearest flag for an unknown one. */
function asMisuse(flags: readonly Flag[], fault: Fault): Misuse {
  const { parameter = '', hint = '' } = fault;
  const isParameter = flags.some(({ name }) => name === parameter);
  const near = fault.message.startsWith('unknown flag')
    ? nearest(
        parameter.replace(/^-+/, ''),
        flags.map(({ name }) => name),
      )
    : undefined;
  return new Misuse(fault.message.replace(/^parameter '(\w+)'/, '--$1'), {
    parameter,
    hint:
      near !== undefined
        ? `did you mean '--${near}'?`
        : isParameter
          ? hint.replaceAll(`${parameter}=`, `--${parameter}=`)
          : hint,
    cause: fault,
  });
}

export function flagsHelp(flags: readonly Flag[]): string {
  const lines = flags.map(({ name, short, value, help }) => {
    const letter = short === undefined ? '' : `, -${short}`;
    return `  --${name}${letter}${value === undefined ? '' : ` ${value}`}\n      ${help}\n`;
  });
  return lines.join('');
}
