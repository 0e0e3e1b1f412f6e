import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unlocked, unpinned } from '../../scripts/pinned.ts';

const VERSIONS: readonly (readonly [string, boolean])[] = [
  ['1.2.3', true],
  ['1.5.6-r.1', true],
  ['npm:uws-pack@20.0.8', true],
  ['npm:@scope/name@1.0.0', true],
  ['^1.2.3', false],
  ['~1.2.3', false],
  ['1.2', false],
  ['1.x', false],
  ['>=1.2.3', false],
  ['latest', false],
  ['*', false],
  ['', false],
  ['npm:uws-pack@20', false],
  ['github:owner/name', false],
  ['https://host/name-1.2.3.tgz', false],
  ['file:../name', false],
];

for (const [version, isExact] of VERSIONS) {
  test(`'${version}' is ${isExact ? 'one exact version' : 'refused'}`, () => {
    const refused = [`name '${version}' is not one exact version such as 1.2.3`];
    for (const kind of ['dependencies', 'devDependencies']) {
      assert.deepEqual(unpinned({ [kind]: { name: version } }), isExact ? [] : refused);
    }
  });
}

test('a lockfile names contents and versions, and no places', () => {
  const locked = { version: '1.0.0', integrity: 'sha512-x' };
  assert.deepEqual(unlocked({ packages: { '': {}, 'node_modules/a': locked } }), []);
  const resolved = 'https://host/b.tgz';
  assert.deepEqual(
    unlocked({
      packages: {
        'node_modules/b': { ...locked, resolved },
        'node_modules/c': { version: '1.0.0' },
        'node_modules/d': { ...locked, version: 'git+ssh://host/d' },
        'node_modules/e': { ...locked, optionalDependencies: { 'e-linux': '1.0.0', f: '1.0.0' } },
        'node_modules/e-linux': locked,
      },
    }),
    [
      'node_modules/b has the address https://host/b.tgz: leave it out',
      'node_modules/c has no integrity',
      "node_modules/d has version 'git+ssh://host/d'",
      'node_modules/e needs f, which is not locked: npm ci would refuse',
    ],
  );
});
