/**
 * What is installed is decided here and not on the day of the install: every dependency is one
 * exact version, and the lockfile names contents (integrity), not places to download them from.
 */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  /** By folder; '' is the project itself. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A version, or an alias of one: `npm:name@1.2.3`. */
const EXACT = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/;

/** @returns a sentence for each dependency that is a range, a tag or an address */
export function unpinned(manifest: Manifest): string[] {
  return Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    .filter(([, version]) => !EXACT.test(version))
    .map(([name, version]) => `${name} '${version}' is not one exact version such as 1.2.3`);
}

/** @returns a sentence for each package that is locked to a place, or to no content */
export function unlocked({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([folder]) => folder !== '')
    .flatMap(([folder, locked]) => {
      const { version = '', resolved, integrity, optionalDependencies = {} } = locked;
      const isUnknown = integrity === undefined;
      return [
        ...(resolved === undefined ? [] : [`${folder} has the address ${resolved}: leave it out`]),
        ...(isUnknown ? [`${folder} has no integrity`] : []),
        ...(EXACT.test(version) ? [] : [`${folder} has version '${version}'`]),
        ...Object.keys(optionalDependencies)
          .filter((name) => !Object.keys(packages).some((key) => key.endsWith(`modules/${name}`)))
          .map((name) => `${folder} needs ${name}, which is not locked: npm ci would refuse`),
      ];
    });
}
