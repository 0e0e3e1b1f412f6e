/**
 * Reads the command line of a script: `--help` prints its usage and exits with 0, anything unknown exits with 2
 * before the script does anything. `scripts/commands.ts` has the usage of each.
 */
import { parseArgs } from 'node:util';
import { nearest } from '../src/query/text/nearest.ts';

export interface Option<Value> {
  /** The value's name in help; an option without one is a switch. */
  readonly value?: string;
  readonly help: string;
  /** As typed. */
  readonly default?: string;
  /** @throws {UsageError} */
  readonly read: (text: string) => Value;
}

export interface Operands {
  readonly name: string;
  readonly help: string;
  /** All that are accepted; anything where not given. */
  readonly choices?: readonly string[];
  readonly least: number;
  readonly most: number;
}

export interface Command<Values extends object = Readonly<Record<string, unknown>>> {
  /** As typed in a shell, without arguments. */
  readonly run: string;
  readonly what: string;
  readonly operands?: Operands;
  readonly options: { readonly [Name in keyof Values]: Option<Values[Name]> };
  /** Arguments of useful runs. */
  readonly examples: readonly string[];
  /** Meaning of exit code 1. */
  readonly failure?: string;
}

export interface CommandLine<Values> {
  readonly values: Values;
  readonly operands: readonly string[];
}

/** Wrong usage. */
export class UsageError extends Error {}

/** A number from `least` to `most`; a whole one where `isWhole`. */
export function numeric(
  help: string,
  limits: { unit: string; default: number; least?: number; most?: number; isWhole?: boolean },
): Option<number> {
  const { unit, least = 0, most = Infinity, isWhole = false } = limits;
  const kind = isWhole ? 'a whole number' : 'a number';
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  const read = (text: string): number => {
    const value = text.trim() === '' ? NaN : Number(text);
    if (value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))) return value;
    throw new UsageError(`expected ${kind} ${range}`);
  };
  return { value: unit, help, default: String(limits.default), read };
}

export function whole(
  help: string,
  limits: { unit: string; default: number; least?: number; most?: number },
): Option<number> {
  return numeric(help, { least: 1, ...limits, isWhole: true });
}

/** A value that may be left out. */
export function optional<Value>(option: Option<Value>): Option<Value | undefined> {
  const { default: _, ...rest } = option;
  return rest;
}

export function text(help: string, value: string, otherwise: string): Option<string> {
  return { value, help, default: otherwise, read: (given) => given };
}

export function choice<Name extends string>(
  help: string,
  names: readonly Name[],
  otherwise: Name,
): Option<Name> {
  return { value: names.join('|'), help, default: otherwise, read: (given) => oneOf(given, names) };
}

/** Values between commas. */
export function list<Item>(
  help: string,
  value: string,
  otherwise: string,
  read: (text: string) => Item,
): Option<readonly Item[]> {
  return {
    value,
    help,
    default: otherwise,
    read: (given) => given.split(',').map((each) => read(each.trim())),
  };
}

export function flag(help: string): Option<boolean> {
  return { help, read: () => true };
}

/** @throws {UsageError} for a name that is not among them */
export function oneOf<Name extends string>(given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  const near = nearest(given, names);
  const meant = near === undefined ? '' : `did you mean ${near}? `;
  throw new UsageError(`${meant}expected ${names.join(', ')}`);
}

export function helpOf({ run, what, operands, options, examples, failure }: Command): string {
  const call = [run, '[OPTION]...', ...(operands === undefined ? [] : [placeholder(operands)])];
  const rows = Object.entries(options).map(([name, { value, help, default: otherwise }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    otherwise === undefined || otherwise === '' ? help : `${help}; default ${otherwise}`,
  ]);
  if (operands !== undefined) {
    const { name, help, choices } = operands;
    rows.unshift([name, choices === undefined ? help : `${help}: ${choices.join(', ')}`]);
  }
  rows.push(['--help', 'print this text']);
  const lines = rows.map(([typed = '', help = '']) => `  ${typed}\n      ${help}`);
  const codes = `0 ok${failure === undefined ? '' : `, 1 ${failure}`}, 2 usage error`;
  return [
    `Usage: ${call.join(' ')}`,
    what,
    lines.join('\n'),
    `Examples:\n${examples.map((each) => `  ${`${run} ${each}`.trim()}`).join('\n')}`,
    `Exit codes: ${codes}\n`,
  ].join('\n\n');
}

function placeholder({ name, least, most }: Operands): string {
  const several = most > 1 ? `${name}...` : name;
  return least === 0 ? `[${several}]` : several;
}

/**
 * @returns undefined where help is wanted
 * @throws {UsageError} which names the argument, what is accepted, and the nearest name
 */
export function read(
  { options, operands }: Command,
  args: readonly string[],
): CommandLine<Readonly<Record<string, unknown>>> | undefined {
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }); // prettier-ignore
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, defaultOf(option)]),
  );
  const given: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') given.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help' || token.rawName === '-h') return undefined;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) throw unknownOption(token.rawName, Object.keys(options));
    values[token.name] = valueOf(token.rawName, option, token.value);
  }
  checkOperands(given, operands);
  return { values, operands: given };
}

function defaultOf({ value, default: otherwise, read: readText }: Option<unknown>): unknown {
  if (value === undefined) return false;
  return otherwise === undefined ? undefined : readText(otherwise);
}

function valueOf(name: string, option: Option<unknown>, given: string | undefined): unknown {
  const { value, read: readText } = option;
  if (value === undefined) {
    if (given === undefined) return true;
    throw new UsageError(`invalid ${name}=${given}: ${name} takes no value`);
  }
  if (given === undefined) throw new UsageError(`missing value of ${name}: expected ${value}`);
  try {
    return readText(given);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`invalid ${name} "${given}": ${error.message}`);
  }
}

function unknownOption(name: string, known: readonly string[]): UsageError {
  const all = [...known, 'help'];
  const near = nearest(name.replace(/^-+/, ''), all);
  const meant = near === undefined ? '' : `did you mean --${near}? `;
  const accepted = all.map((each) => `--${each}`).join(', ');
  return new UsageError(`unknown option "${name}": ${meant}expected ${accepted}`);
}

function checkOperands(given: readonly string[], operands: Operands | undefined): void {
  const { name = '', choices, least = 0, most = 0 } = operands ?? {};
  const extra = given[most];
  if (extra !== undefined) {
    const accepted = most === 0 ? 'options only' : `at most ${most} ${name}`;
    throw new UsageError(`unexpected argument "${extra}": expected ${accepted}`);
  }
  if (given.length < least) throw new UsageError(`missing argument: expected ${name}`);
  if (choices === undefined) return;
  for (const each of given) {
    try {
      oneOf(each, choices);
    } catch (error) {
      throw new UsageError(`unknown ${name} "${each}": ${(error as Error).message}`);
    }
  }
}
