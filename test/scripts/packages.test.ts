/** What is installed: counted, named by content, licensed, without scripts, and as a CycloneDX document. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import Ajv from 'ajv';
import { bundledPackages } from '../../scripts/bundled.ts';
import { isAllowed, lockedPackages, packagesOf, sbomOf, type LockedFile } from '../../scripts/packages.ts'; // prettier-ignore
import { measured } from '../support/measured.ts';

const PACKAGES_MAX = 60;
const file = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as LockedFile;
const packages = lockedPackages(file, bundledPackages());
const running = packages.filter(({ use }) => use !== 'development');

test('S-20: at most 60 packages run, installed beside the bundle or part of it', (t) => {
  const here = running.filter(({ isPlatformBuild }) => !isPlatformBuild);
  const installed = here.filter(({ use }) => use === 'installed');
  measured(t, 'S-20', `${installed.length} packages installed, ${here.length - installed.length} in the bundle`); // prettier-ignore
  assert.ok(here.length <= PACKAGES_MAX, here.map(({ name }) => name).join(' '));
  assert.ok(installed.length >= 5 && here.length > installed.length + 20, 'both kinds are found');
});

test('S-20: every package is named by content and has an allowed licence', () => {
  const odd = packages.filter((one) => !/^sha512-.{86}==$/.test(one.integrity) || !isAllowed(one));
  assert.deepEqual(odd, []);
});

test('S-20: nothing that is installed for a server runs a script', () => {
  assert.deepEqual(
    running.filter(({ runsOnInstall }) => runsOnInstall),
    [],
  );
  const others = packages.filter(({ runsOnInstall }) => runsOnInstall).map(({ name }) => name);
  const { allowScripts } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as { allowScripts: Record<string, boolean> };
  assert.deepEqual(Object.fromEntries(others.map((name) => [name, false])), allowScripts);
});

/** The part of the schema of CycloneDX 1.5 that says what components and dependencies are. */
const text = { type: 'string', minLength: 1 };
const SCHEMA = {
  type: 'object',
  required: ['bomFormat', 'specVersion', 'serialNumber', 'version', 'components', 'dependencies'],
  properties: {
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.5' },
    serialNumber: { type: 'string', pattern: '^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }, // prettier-ignore
    version: { type: 'integer', minimum: 1 },
    components: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'name', 'version', 'bom-ref', 'purl', 'licenses', 'hashes'],
        properties: {
          type: { const: 'library' },
          'bom-ref': text,
          name: text,
          version: text,
          purl: { type: 'string', pattern: '^pkg:npm/(%40[^/]+/)?[^/@]+@[^@]+$' },
          scope: { enum: ['required', 'optional', 'excluded'] },
          hashes: { type: 'array', minItems: 1, items: { type: 'object', required: ['alg', 'content'], properties: { alg: { const: 'SHA-512' }, content: { type: 'string', pattern: '^[0-9a-f]{128}$' } } } }, // prettier-ignore
          licenses: { type: 'array', minItems: 1, maxItems: 1, items: { type: 'object', required: ['expression'], properties: { expression: text } } }, // prettier-ignore
          properties: { type: 'array', items: { type: 'object', required: ['name', 'value'], properties: { name: text, value: text } } }, // prettier-ignore
        },
      },
    },
    dependencies: {
      type: 'array',
      items: { type: 'object', required: ['ref', 'dependsOn'], properties: { ref: text, dependsOn: { type: 'array', items: text } } }, // prettier-ignore
    },
  },
};

interface Sbom {
  readonly components: readonly Record<'bom-ref' | 'name' | 'scope', string>[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

test('S-20: the bill of materials has every package once, and only refers to those', () => {
  const sbom = sbomOf(file, packages) as Sbom;
  const isValid = new Ajv.Ajv({ allErrors: true }).compile(SCHEMA);
  assert.ok(isValid(sbom), JSON.stringify(isValid.errors));
  assert.deepEqual(sbomOf(file, packages), sbom);
  assert.equal(sbom.components.length, Object.keys(file.packages).length - 1);
  const refs = new Set(sbom.components.map((one) => one['bom-ref']));
  assert.equal(refs.size, sbom.components.length);
  for (const { dependsOn } of sbom.dependencies)
    for (const ref of dependsOn) assert.ok(refs.has(ref), ref);
  const scopeOf = (name: string): string | undefined =>
    sbom.components.find((one) => one.name === name)?.scope;
  assert.deepEqual(['uws-pack', 'undici', 'esbuild'].map(scopeOf), ['required', 'required', 'excluded']); // prettier-ignore
});

const LOCK: LockedFile = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', dependencies: { b: '1' } },
    'node_modules/a/node_modules/b': { version: '1.0.0', license: 'GPL-3.0-only', dev: true },
    'node_modules/@s/c': { version: '2.0.0', dev: true, hasInstallScript: true, dependencies: { b: '2', d: '1' } }, // prettier-ignore
    'node_modules/b': { name: 'other', version: '2.0.0', dev: true },
  },
};

test('a package is bundled, installed or of development, and needs the nearest one of a name', () => {
  const found = lockedPackages(
    LOCK,
    new Set(
      packagesOf(['src/a.ts', 'up/node_modules/@s/c/d.js', 'node_modules/x/node_modules/b/e.js']),
    ),
  );
  assert.deepEqual(
    found.map(({ name, use, needs, runsOnInstall }) => [name, use, needs, runsOnInstall]),
    [
      ['a', 'installed', ['node_modules/a/node_modules/b'], false],
      ['b', 'development', [], false],
      ['@s/c', 'bundled', ['node_modules/b'], true],
      ['other', 'development', [], false],
    ],
  );
});

for (const [licence, use, expected] of [
  ['MIT', 'installed', true],
  ['MIT', 'development', true],
  ['(Apache-2.0 AND BSD-3-Clause)', 'bundled', true],
  ['MPL-2.0', 'development', true],
  ['MPL-2.0', 'bundled', false],
  ['MPL-2.0', 'installed', false],
  ['(MIT OR GPL-2.0)', 'development', false],
  ['GPL-3.0-only', 'installed', false],
  ['', 'development', false],
  ['SEE LICENSE IN LICENSE', 'installed', false],
] as const)
  test(`the licence '${licence}' of what is ${use} is ${expected ? 'allowed' : 'refused'}`, () => {
    assert.equal(isAllowed({ licence, use }), expected);
  });
