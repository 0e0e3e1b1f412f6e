/** The guides of docs/install: what they show can be read, and each command is run here or says that it is not. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { CHART, KUBE_VERSION, template, type Values } from '../scripts/chart-renderings.ts';
import { documentsOf } from './support/documents.ts';
import { chartValues, commandsOf, filesOf, unreadable, wordsOf, type GuideCommand } from './support/guide-commands.ts'; // prettier-ignore
import { isBuiltIn, wrongFields } from './support/kubernetes-types.ts';
import { manifestsIn } from './support/manifests.ts';
import { findBinary } from './support/servers/services.ts';
import { startServerProcess, type ServerProcess } from './support/servers/server-process.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from './support/stores/saved-days.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const guides = documentsOf(ROOT).filter(({ path }) => path.startsWith('docs/install/'));
const commands = guides.flatMap(commandsOf);
const files = guides.flatMap(filesOf);
const accepts = new Ajv({ allErrors: true, strict: false }).compile<unknown>(
  JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as object,
);
const helm = process.env['HELM'] ?? findBinary('helm') ?? '';

interface Policy {
  readonly Statement: readonly { readonly Action: string | readonly string[] }[];
}

function refusals(values: unknown): string[] {
  if (accepts(values)) return [];
  return (accepts.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

/** Commands of the chart, with the values of their flags and files. */
const ofChart = commands
  .filter(
    ({ text }) =>
      /^helm (install|upgrade|template) /.test(text) && text.includes(' deploy/helm/prorata'),
  )
  .map((command) => {
    const { values, files: names } = chartValues(command.text);
    return { command, values, names };
  });

test('fences of guides are commands, or files that a test reads', () => {
  assert.deepEqual(unreadable(guides), []);
  assert.ok(commands.length > 50, `only ${commands.length} commands`);
  assert.ok(commands.filter(({ isRun }) => isRun).length > 12, 'some are run');
});

test('values of the chart in guides are those that the chart takes', () => {
  assert.ok(ofChart.length > 5);
  const wrong = ofChart.flatMap(({ command: { at, document }, values, names }) => [
    ...refusals(values).map((refusal) => `${at}: ${refusal}`),
    ...names
      .filter((name) => !files.some((file) => file.document === document && file.name === name))
      .map((name) => `${at}: no fence of the guide is the file ${name}`),
  ]);
  const ofFiles = files
    .filter(({ name }) => name.startsWith('values'))
    .flatMap(({ at, text }) => refusals(parse(text)).map((refusal) => `${at}: ${refusal}`));
  assert.deepEqual([...wrong, ...ofFiles], []);
});

test(
  'the chart renders with the values of guides that only show them',
  { skip: helm === '' && 'helm not installed' },
  () => {
    // Guides that render it themselves are run below.
    const others = files.filter(
      ({ document, name }) =>
        name.startsWith('values') &&
        !commands.some((one) => one.document === document && one.text.startsWith('helm template')),
    );
    for (const { at, text } of others) {
      const first = { metricsUrl: 'http://a:9090', clusterId: 'a' };
      const rendered = template(helm, { ...first, ...(parse(text) as Values) });
      assert.deepEqual(manifestsIn(rendered).filter(isBuiltIn).flatMap(wrongFields), [], at);
    }
  },
);

test('other files of guides are JSON, or manifests with fields that Kubernetes knows', () => {
  for (const { at, language, name, text } of files) {
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(text), at);
    if (language !== 'yaml' || name.startsWith('values') || !/^apiVersion:/m.test(text)) continue;
    assert.deepEqual(manifestsIn(text).filter(isBuiltIn).flatMap(wrongFields), [], at);
  }
});

/** What the policies of a guide permit: bills are read, sets are read and written. */
const PERMITTED: Readonly<Record<string, readonly string[]>> = {
  'docs/install/bills-from-buckets.md': ['s3:GetObject', 's3:ListBucket', 'sts:AssumeRole', 'sts:AssumeRoleWithWebIdentity', 'sts:TagSession'],
  'docs/install/store-in-a-bucket.md': ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
}; // prettier-ignore
test('policies of S3 in guides permit what prorata asks for, and nothing else', () => {
  const permitted = new Map<string, Set<string>>();
  for (const { document, language, text } of files) {
    if (language !== 'json') continue;
    const { Statement } = JSON.parse(text) as Policy;
    const actions = permitted.get(document) ?? new Set();
    for (const { Action } of Statement) for (const action of [Action].flat()) actions.add(action);
    permitted.set(document, actions);
  }
  const found = Array.from(permitted, ([document, actions]) => [document, [...actions].toSorted()]);
  assert.deepEqual(Object.fromEntries(found), PERMITTED);
});

test('commands that are run write into the folder of their guide alone, and end', () => {
  const elsewhere = commands
    .filter(
      ({ isRun, text }) => isRun && wordsOf(text).some((word) => /^(=?[/~]|\w+=[/~])/.test(word)),
    )
    .map(({ at, text }) => `${at}: '${text}' names a path of this machine; mark it 'not run here'`);
  const servers = commands
    .filter(
      ({ isRun, text }) =>
        isRun && /^(npm start|npm run -s prorata -- (serve|agent|mcp))\b|&$/.test(text),
    )
    .map(({ at, text }) => `${at}: '${text}' does not end; mark it 'not run here'`);
  assert.deepEqual([...elsewhere, ...servers], []);
});

test('files of the repository that commands name are there', () => {
  const missing = commands.flatMap(({ at, text }) =>
    wordsOf(text)
      .filter((word) => /^(deploy|docs|src|scripts)\//.test(word) && !existsSync(join(ROOT, word)))
      .map((word) => `${at}: ${word} is not there`),
  );
  assert.deepEqual(missing, []);
});

/** Files that guides bring from elsewhere. */
const BROUGHT: Readonly<Record<string, string>> = {
  'opencost.json': savedAnswer({ web: { totalCost: 1 } }),
  'history.json': savedAnswer(
    savedSet(FIRST_MS, { 'c/n/s/p/k': 1 }),
    savedSet(FIRST_MS + DAY_MS, { 'c/n/s/p/k': 2 }),
  ),
};
const TOKEN = 'token-of-ann';
const ENDS_WITHIN_MS = 60_000;

/** The repository by links, and the files of the guide. */
function layOut(home: string, document: string): string {
  const folder = join(home, basename(document, '.md'));
  mkdirSync(folder);
  for (const entry of readdirSync(ROOT).filter((name) => name !== '.git'))
    symlinkSync(join(ROOT, entry), join(folder, entry));
  const own = files.filter((one) => one.document === document && one.name !== '');
  const written = [
    ...Object.entries(BROUGHT),
    ...own.map(({ name, text }) => [name, text] as const),
  ];
  // Never through a link into the repository.
  for (const [name, text] of written) {
    assert.ok(!existsSync(join(ROOT, name)), `${document}: ${name} is a file of the repository`);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

function run(text: string, cwd: string, url: string): Promise<readonly [number | null, string]> {
  // What package.json has for it, without npm's half second.
  const quick = text
    .replaceAll('npm run -s prorata --', 'node src/prorata.js')
    .replaceAll('http://127.0.0.1:9003', url)
    // A helm that was built from its sources takes clusters for very old.
    .replaceAll('helm template ', `helm template ${KUBE_VERSION.join(' ')} `);
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, TOKEN };
  // A process group of its own, as a server that is left running would never end.
  const child = spawn('bash', ['-o', 'pipefail', '-c', quick], { cwd, env, detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), ENDS_WITHIN_MS);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => (said += String(part)));
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve([code, said]);
    });
  });
}

const NEEDED = ['helm', 'kubectl', 'curl'] as const;

function skipOf({ text }: GuideCommand): string | false {
  const missing = NEEDED.find(
    (name) => new RegExp(`\\b${name} `).test(text) && findBinary(name) === undefined,
  );
  return missing === undefined ? false : `${missing} not installed`;
}

describe('commands of guides', { concurrency: 2 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-guides-'));
  const ran = new Set<string>();
  let server: ServerProcess;
  before(async () => {
    const tokens = join(home, 'tokens.yaml');
    const sha256 = createHash('sha256').update(TOKEN).digest('hex');
    writeFileSync(tokens, `- {name: ann, sha256: ${sha256}, roles: [viewer]}\n`);
    const flags = ['--demo=true', '--refresh=0', '--workers=1', '--front-end=node'];
    server = await startServerProcess([...flags, '--auth=tokens', `--tokens=${tokens}`]);
  });
  after(async () => {
    await server.stop();
    rmSync(home, { recursive: true });
  });

  for (const { path } of guides) {
    const own = commands.filter(({ document, isRun }) => document === path && isRun);
    if (own.length === 0) continue;
    test(`${path} runs as it is written`, async (t) => {
      const folder = layOut(home, path);
      for (const command of own) {
        // What reads no file of the guide is the same in each of them.
        if (/^(npm run -s prorata -- token|curl) /.test(command.text) && ran.has(command.text))
          continue;
        ran.add(command.text);
        const skip = skipOf(command);
        await t.test(command.text, { skip }, async () => {
          const [code, said] = await run(command.text, folder, server.url);
          assert.equal(code, 0, `${command.at} ended with ${code}:\n${said}`);
        });
      }
    });
  }
});

test('the command of guides is the one of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Record<string, string>;
  };
  assert.equal(scripts['prorata'], 'node src/prorata.js');
});

const PLANTED = [
  'text',
  '```console',
  '$ helm install prorata deploy/helm/prorata --set a.b=1 \\',
  "    --set 'c={x,2}' --values values.yaml     # with a comment",
  'what it prints # not run here',
  '$ kubectl get pods  # not run here',
  '$ kubectl get nodes',
  '$ az login  # not run here, and all below',
  '$ az logout',
  '```',
  '```yaml values.yaml',
  'a: 1',
  '```',
  '```console',
  '$ true',
  '```',
  '```sh',
  'rm -rf /',
  '```',
  '```console',
  'kubectl get pods',
  '```',
].join('\n');

test('commands, marks, files and what no test can read are found', () => {
  const document = { path: 'docs/install/a.md', text: PLANTED };
  assert.deepEqual(
    commandsOf(document).map(({ at, text, isRun }) => [at.split(':')[1], text, isRun]),
    [
      [
        '3',
        "helm install prorata deploy/helm/prorata --set a.b=1 --set 'c={x,2}' --values values.yaml",
        true,
      ],
      ['6', 'kubectl get pods', false],
      ['7', 'kubectl get nodes', true],
      ['8', 'az login', false],
      ['9', 'az logout', false],
      ['15', 'true', true],
    ],
  );
  const [file] = filesOf(document);
  assert.deepEqual([file?.name, file?.text], ['values.yaml', 'a: 1\n']);
  const [command] = commandsOf(document);
  assert.deepEqual(chartValues(command?.text ?? ''), {
    values: { a: { b: 1 }, c: ['x', 2] },
    files: ['values.yaml'],
  });
  const found = unreadable([document]);
  assert.equal(found.length, 2, found.join('\n'));
  assert.match(found[0] ?? '', /a\.md:17: a fence of 'sh'/);
  assert.match(found[1] ?? '', /a\.md:20: no line of this fence begins with/);
});
