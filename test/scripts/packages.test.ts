/**
 * What is installed: counted, named by content, licensed, without scripts, as a CycloneDX document and as
 * third-party notices.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import Ajv from 'ajv';
import { bundledPackages } from '../../scripts/bundled.ts';
import { namedIn, NOTICES_FILE, noticesOf, noticesText } from '../../scripts/notices.ts';
import { isAllowed, lockedPackages, packagesOf, sbomOf, type LockedFile } from '../../scripts/packages.ts'; // prettier-ignore
import { bundleFolder } from '../../src/bundle.js';
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
  readonly components: readonly Record<'bom-ref' | 'name' | 'version' | 'scope', string>[];
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

/** A phrase of each licence's text. */
const PHRASES: Readonly<Record<string, RegExp>> = {
  '0BSD': /Permission to use, copy, modify, and\/or distribute/,
  'Apache-2.0': /Apache License\s+Version 2\.0/,
  'BSD-2-Clause': /Redistribution and use in source and binary forms/,
  'BSD-3-Clause': /Neither the name|The names of any contributors may not be used/,
  ISC: /Permission to use, copy, modify,? and\/or distribute/,
  MIT: /Permission is hereby granted, free of charge/,
};

test('THIRD_PARTY_NOTICES of the bundle has each component of the SBOM that runs, with its licence text', () => {
  const text = readFileSync(join(bundleFolder(), NOTICES_FILE), 'utf8');
  const { components } = sbomOf(file, packages) as Sbom;
  const expected = components
    .filter(({ scope }) => scope !== 'excluded')
    .map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(namedIn(text).toSorted(), expected.toSorted());
  assert.ok(expected.includes('assemblyscript 0.28.20'), 'the standard library of the kernels');
  const notices = noticesOf(packages);
  assert.equal(text, noticesText(notices), 'the same packages give the same bytes');
  for (const { packages: together, texts } of notices) {
    const [first] = together;
    const all = texts
      .map((one) => one.text)
      .join('\n')
      .replaceAll(/[\s*]+/g, ' ');
    for (const id of first?.licence.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /) ?? [])
      assert.match(all, PHRASES[id] ?? assert.fail(`no phrase of ${id}`), first?.name);
  }
  assert.match(text, /The Apache Software Foundation \(http/, 'the NOTICE of apache-arrow');
  assert.match(
    text,
    /Copyright \(c\) Sebastian Mayr/,
    'the author of tr46, which has no licence file',
  );
});

/** Notices of packages in a temporary folder. @param files by path */
function plantedNotices(lock: LockedFile['packages'], files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'prorata-notices-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return noticesText(noticesOf(lockedPackages({ packages: lock }, new Set()), root));
  } finally {
    rmSync(root, { recursive: true });
  }
}

const A = 'node_modules/a';
for (const [what, licence, files, expected] of [
  [
    'its licence file',
    'ISC',
    { [`${A}/LICENCE.md`]: 'Use it.\r\n' },
    /^Licence: ISC\nUse: installed\n=+\n--- LICENCE\.md\n\nUse it\.\n$/m,
  ],
  [
    'its NOTICE',
    'Apache-2.0',
    { [`${A}/LICENSE`]: 'Use it.', [`${A}/NOTICE`]: 'By us.' },
    /Use it\.\n\n--- NOTICE\n\nBy us\.\n$/,
  ],
  [
    'licences of parts',
    'MIT',
    { [`${A}/LICENSE`]: 'x', [`${A}/lib/fetch/LICENSE`]: 'Part.' },
    /--- lib\/fetch\/LICENSE\n\nPart\.\n$/,
  ],
  [
    'no file of packages within',
    'MIT',
    { [`${A}/LICENSE`]: 'x', [`${A}/node_modules/b/LICENSE`]: 'Other.' },
    /--- LICENSE\n\nx\n$/,
  ],
  [
    'the SPDX text and its author',
    'MIT',
    { [`${A}/package.json`]: '{"author":{"name":"Ann"}}' },
    /--- SPDX: MIT\n\nCopyright \(c\) Ann\n\nPermission is hereby/,
  ],
  [
    'the SPDX text and copyright lines',
    '(MIT AND BSD-3-Clause)',
    { [`${A}/package.json`]: '{}', [`${A}/a.js`]: '// Copyright 2020 Bob\n' },
    /--- SPDX: BSD-3-Clause\n\nCopyright 2020 Bob\n\nRedistribution/,
  ],
] as const)
  // prettier-ignore
  test(`a package is noticed with ${what}`, () => {
    assert.match(plantedNotices({ [A]: { version: '1.0.0', license: licence } }, files), expected);
  });

test('builds for platforms are noticed though they are not installed', () => {
  const build = { version: '1.0.0', license: 'Apache-2.0', optional: true, cpu: ['x64'] };
  const needing = { version: '1.0.0', license: 'Apache-2.0', optionalDependencies: { a: '1' } };
  const locked = { [A]: build, 'node_modules/b': needing, 'node_modules/c': build };
  const text = plantedNotices(locked, { 'node_modules/b/LICENSE': 'Both.' });
  assert.deepEqual(namedIn(text), ['b 1.0.0', 'a 1.0.0', 'c 1.0.0']);
  assert.match(text, /--- LICENSE\n\nBoth\.\n\n=+\nc 1.*\n(?:.*\n){2}=+\n--- SPDX: Apache-2\.0\n/);
});

for (const [what, lock, files, expected] of [
  [
    'is not installed',
    { [A]: { version: '1.0.0', license: 'MIT' } },
    {},
    /a 1\.0\.0 lacks its folder/,
  ],
  [
    'has no licence file and an unknown licence',
    { [A]: { version: '1.0.0', license: 'Python-2.0' } },
    { [`${A}/package.json`]: '{}' },
    /a 1\.0\.0 lacks a licence file, and 'Python-2\.0' has no text here/,
  ],
  [
    'has no licence file and no author',
    { [A]: { version: '1.0.0', license: 'MIT' } },
    { [`${A}/package.json`]: '{}' },
    /a 1\.0\.0 lacks a copyright line/,
  ],
  [
    'is a build that no package needs, of a licence with a copyright line',
    { [A]: { version: '1.0.0', license: 'MIT', optional: true, cpu: ['x64'] } },
    {},
    /a 1\.0\.0 lacks a copyright line/,
  ],
  [
    'is a build under another licence',
    {
      [A]: { version: '1.0.0', license: 'MIT', optional: true, cpu: ['x64'] },
      'node_modules/b': { version: '1.0.0', license: 'ISC', optionalDependencies: { a: '1' } },
    },
    { 'node_modules/b/LICENSE': 'x' },
    /a 1\.0\.0 lacks the licence of its package/,
  ],
] as const)
  // prettier-ignore
  test(`notices are refused for a package that ${what}`, () => {
    assert.throws(() => plantedNotices(lock, files), expected);
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
