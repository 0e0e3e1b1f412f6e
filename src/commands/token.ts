/** `prorata token`: makes a token, shows it once, and writes the line for the file of tokens. */
import { randomBytes } from 'node:crypto';
import { digestOf, readTokens } from '../access/index.ts';
import { ROLES } from '../http/index.ts';
import { Fault, listItems, oneOf, readDuration, readTimestamp, refuse } from '../query/index.ts';
import { checkScope } from '../server/access/scopes.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';

const FLAGS: readonly Flag[] = [
  { name: 'roles', value: 'LIST', help: `of ${ROLES.join(', ')}: each has the rights before it` },
  {
    name: 'filter',
    value: 'FILTER',
    help: 'rows that may be seen, such as namespace:"web"; all without it',
  },
  {
    name: 'idle',
    help: "with --filter: idle and shared costs are shown, from which others' costs can be computed",
  },
  {
    name: 'expires',
    value: 'WHEN',
    help: 'a duration from now, such as 90d, or an RFC 3339 timestamp; never without it',
  },
];

const HELP = `prorata token NAME --roles LIST [--filter FILTER [--idle]] [--expires WHEN]

  Makes a random token. Standard error shows the token, this once: nothing keeps it. Standard output has
  the line for the file that --tokens names, with its digest alone.

  prorata token ci --roles editor --expires 90d >> tokens.yaml

${flagsHelp(FLAGS)}`;

const TOKEN_BYTES = 32;

export async function token(argv: readonly string[]): Promise<void> {
  const isHelp = argv.includes('--help') || argv.includes('-h');
  const line = isHelp ? undefined : usage(FLAGS, () => lineOf(argv));
  if (line === undefined) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const made = `prorata_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const text = line(digestOf(made).toString('hex'));
  // A name that the file could not have is refused before anybody relies on the token.
  readTokens(text, 'the line', checkScope);
  process.stdout.write(text);
  process.stderr.write(`${made}\n`);
}

/** @returns the line for a digest @throws {Fault} */
function lineOf(argv: readonly string[]): (digest: string) => string {
  const { values, rest } = takeFlags(argv, FLAGS);
  const [name, unknown] = rest;
  if (name === undefined || name.startsWith('-') || unknown !== undefined) {
    throw new Fault(
      unknown === undefined ? 'a token needs a name' : `'${unknown.slice(0, 80)}' is one too many`,
      { hint: 'for example prorata token ci --roles viewer' },
    );
  }
  const given = listItems(values.get('roles') ?? '');
  if (given.length === 0) {
    throw new Fault('a token needs --roles', {
      parameter: 'roles',
      hint: `a list of ${ROLES.join(', ')}`,
    });
  }
  const roles = given.map(oneOf('roles', ROLES));
  const filter = values.get('filter');
  const rows = filter === undefined ? '' : `, filter: ${JSON.stringify(filter)}`;
  const idle = values.has('idle') ? ', idle: true' : '';
  const expires = values.get('expires');
  const until = expires === undefined ? '' : `, expires: "${instantOf(expires)}"`;
  return (digest) =>
    `- {name: ${JSON.stringify(name)}, sha256: ${digest}, roles: [${roles.join(', ')}]${rows}${idle}${until}}\n`;
}

function instantOf(text: string): string {
  const spanMs = readDuration(text);
  const atMs = spanMs === undefined ? readTimestamp(text) : Date.now() + spanMs;
  if (atMs !== undefined && atMs > Date.now()) return new Date(atMs).toISOString();
  throw refuse('expires', text, 'a duration or an RFC 3339 timestamp that is to come', '90d');
}
