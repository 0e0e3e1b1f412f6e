/** The packages of the lock file: which of them run, by what licence, and as a CycloneDX document. */
import { createHash } from 'node:crypto';

export interface LockedFile {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  /** By folder; '' is the project itself. */
  readonly packages: Readonly<Record<string, LockedEntry>>;
}

interface LockedEntry {
  /** Where it is another than the folder's. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly cpu?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Installed beside the server, part of its bundle, or used while the project is worked on. */
export type Use = 'installed' | 'bundled' | 'development';

export interface LockedPackage {
  /** As the registry knows it. */
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  readonly use: Use;
  /** An SPDX expression; '' where the lock file has none. */
  readonly licence: string;
  /** `sha512-…`, '' where the lock file has none. */
  readonly integrity: string;
  readonly runsOnInstall: boolean;
  /** Built for one platform; npm leaves out those for others. */
  readonly isPlatformBuild: boolean;
  /** Folders of what it needs. */
  readonly needs: readonly string[];
}

/** Licences under which packages may come: none asks for the sources of what uses them. */
export const LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Python-2.0',
  'Unlicense',
];

/** Licences of what only tests use beside these, unchanged and handed to nobody. */
const TESTED_WITH: readonly string[] = ['MPL-2.0'];

const FOLDER = 'node_modules/';

/** @param bundled folders of packages of which a part is in the bundle */
export function lockedPackages(
  { packages }: LockedFile,
  bundled: ReadonlySet<string>,
): LockedPackage[] {
  return Object.entries(packages)
    .filter(([folder]) => folder !== '')
    .map(([folder, entry]) => {
      const place = folder.slice(folder.lastIndexOf(FOLDER) + FOLDER.length);
      const isDevelopment = entry.dev === true;
      const use = isDevelopment ? (bundled.has(folder) ? 'bundled' : 'development') : 'installed';
      return {
        name: entry.name ?? place,
        version: entry.version ?? '',
        folder,
        use,
        licence: entry.license ?? '',
        integrity: entry.integrity ?? '',
        runsOnInstall: entry.hasInstallScript === true,
        isPlatformBuild: entry.optional === true && entry.cpu !== undefined,
        needs: Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).flatMap(
          (name) => found(packages, folder, name) ?? [],
        ),
      };
    });
}

/** As Node looks for it: in the package's own folder, then in those around it. */
function found(packages: LockedFile['packages'], folder: string, name: string): string | undefined {
  for (let around = folder; ; around = around.slice(0, around.lastIndexOf(`/${FOLDER}`))) {
    const path = `${around}/${FOLDER}${name}`;
    if (packages[path] !== undefined) return path;
    if (!around.includes(`/${FOLDER}`)) break;
  }
  const path = `${FOLDER}${name}`;
  return packages[path] === undefined ? undefined : path;
}

/** `(Apache-2.0 AND MIT)`: all of its names must be allowed. */
export function isAllowed({ licence, use }: Pick<LockedPackage, 'licence' | 'use'>): boolean {
  const names = licence.replace(/[()]/g, '').split(/ (?:AND|OR) /);
  const allowed = use === 'development' ? [...LICENCES, ...TESTED_WITH] : LICENCES;
  return names.every((name) => allowed.includes(name));
}

/** Folders of packages in the sources that source maps list: those of one name may stand in several. */
export function packagesOf(sources: readonly string[]): string[] {
  const folders = sources.flatMap((source) => {
    const at = source.lastIndexOf(FOLDER);
    if (at < 0) return [];
    const [first = '', second = ''] = source.slice(at + FOLDER.length).split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    return [source.slice(source.indexOf(FOLDER), at + FOLDER.length) + name];
  });
  return [...new Set(folders)].toSorted();
}

/** A document of CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json/), the same for the same lock file. */
export function sbomOf(file: LockedFile, packages: readonly LockedPackage[]): object {
  const own = `pkg:npm/${file.name ?? ''}@${file.version ?? ''}`;
  const refs = new Map(packages.map((one) => [one.folder, refOf(one)]));
  const root = packages.filter(({ folder }) => folder.lastIndexOf(FOLDER) === 0);
  const dependencies = packages.map((one) => ({
    ref: refOf(one),
    dependsOn: [...new Set(one.needs.flatMap((folder) => refs.get(folder) ?? []))].toSorted(),
  }));
  const components = packages.map(componentOf);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(components))}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: file.name,
        version: file.version,
        purl: own,
        licenses: [{ expression: file.packages['']?.license }],
      },
    },
    components,
    dependencies: [{ ref: own, dependsOn: root.map(refOf) }, ...dependencies],
  };
}

function componentOf(one: LockedPackage): object {
  const [algorithm = '', base64 = ''] = one.integrity.split('-', 2);
  const content = Buffer.from(base64, 'base64').toString('hex');
  const hashes = algorithm === 'sha512' ? { hashes: [{ alg: 'SHA-512', content }] } : {};
  return {
    type: 'library',
    'bom-ref': refOf(one),
    name: one.name,
    version: one.version,
    // What is installed for one platform alone may be missing.
    scope: one.use === 'development' ? 'excluded' : one.isPlatformBuild ? 'optional' : 'required',
    ...hashes,
    licenses: [{ expression: one.licence }],
    purl: purlOf(one),
    properties: [{ name: 'prorata:use', value: one.use }],
  };
}

/** A package may be there twice, in folders of others. */
function refOf(one: LockedPackage): string {
  return `${purlOf(one)}#${one.folder}`;
}

function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}
