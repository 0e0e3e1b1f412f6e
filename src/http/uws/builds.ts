/**
 * Builds of the native HTTP engine, uWebSockets.js: which file a version of Node loads, and the SHA-256 of
 * each. Native code of packages runs with all rights of the process, so a file with other bytes is refused.
 *
 *   Node 20 to 22    uws-pack           one package with the files of all platforms   glibc 2.27
 *   Node 24, 26      @uwsjs/PLATFORM    a package for each platform, optional         glibc 2.38
 *
 * Other versions and platforms are served by node:http.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** SHA-256 by the file's path within node_modules. */
export const BUILDS: Readonly<Record<string, string>> = {
  'uWebSockets.js/dist/bin/uws_darwin_arm64_115.node':
    '5d523bccbe80d3d8fa59422ff81801b8179212b9a8a5da28bff6926a95a65701',
  'uWebSockets.js/dist/bin/uws_darwin_x64_115.node':
    '1f2a5c73d9dc3066d39b675b73f2c50eddbc4f270d292a6126ddfe3757c54cf9',
  'uWebSockets.js/dist/bin/uws_linux_arm64_115.node':
    'c0e29fc143b46b584f3debec7910014ec228198fc1f17aaeacd1de7991bd3769',
  'uWebSockets.js/dist/bin/uws_linux_arm_115.node':
    'b02d5bc5ab08f040b6b9b818c3eb92806611f77a4dc2439a8f14cac827d498be',
  'uWebSockets.js/dist/bin/uws_linux_x64_115.node':
    '6f8d96d761a64beddb060f1f7f0e617dd293ed127ec1d57507aa561a0083171e',
  'uWebSockets.js/dist/bin/uws_win32_x64_115.node':
    '58c8b8e47ae3dc6c382dbfc24656755106cbecce56add05ca2c32d5c39951ddd',
  'uWebSockets.js/dist/bin/uws_darwin_arm64_120.node':
    '98ffa032aeb84b98d432502738871c5748f6a636536d5705702c4985925a41ae',
  'uWebSockets.js/dist/bin/uws_darwin_x64_120.node':
    '3dc10babf35b3ce5d4edc7deaddf912a5a72a0ac7ad52b098dbe430c3c540313',
  'uWebSockets.js/dist/bin/uws_linux_arm64_120.node':
    'a855e3b7cc0db70ec503e296d50e91d2435db679bc3bd5433d7dae30e93c9b3c',
  'uWebSockets.js/dist/bin/uws_linux_arm_120.node':
    '814b5e63337d5072a85276d5279824b4f9817f8008fcff1f4a4345e2f2c30444',
  'uWebSockets.js/dist/bin/uws_linux_x64_120.node':
    'fcb1172837abd2a2dd130f6c6502f18e9b562a5d88bcc3bcdca5e6e710278080',
  'uWebSockets.js/dist/bin/uws_win32_x64_120.node':
    '90a09f33c5c876094340a283fa1197b518251a5b8a1f59d9e963736ef0532eb6',
  'uWebSockets.js/dist/bin/uws_darwin_arm64_127.node':
    'abbeea53d48e21c01808203e9f9835728f2cea720d2e5b154837ee3045b513be',
  'uWebSockets.js/dist/bin/uws_darwin_x64_127.node':
    'afd992dc1ca1e33cdc7ce0c72a60baf236e590a257fcecbbbce7bc1a35451387',
  'uWebSockets.js/dist/bin/uws_linux_arm64_127.node':
    'd4c4f8b2c28c5f6544b49e36d91b0beee238a5b90a07904a947f77061c8b814d',
  'uWebSockets.js/dist/bin/uws_linux_arm_127.node':
    '0e1d4024b629a1fe17ec76cde8fe7e320101eb8bdcf7b2c4086933932e3cea23',
  'uWebSockets.js/dist/bin/uws_linux_x64_127.node':
    '8cabc918bbf9a07323e54f89a33882491080b2eb35df0607f473ccdb1f3c31af',
  'uWebSockets.js/dist/bin/uws_win32_x64_127.node':
    '585d6ee2dbfc750b1d5a59e6ceaef8a977e90ef3e298a82821d58b41cd72a8c0',
  '@uwsjs/linux-x64-24/uws.node':
    '177efdc682425d754474bd30f9586c487fa6694f790f3406a23885d0e61c07a0',
  '@uwsjs/linux-x64-26/uws.node':
    '604375741bf77780b34e7e299af9274cb1f56d73732201d19e3d8d8448176795',
};

export interface Platform {
  readonly platform: string;
  readonly arch: string;
  /** Version of Node. */
  readonly node: string;
  /** Version of Node's interface for native modules. */
  readonly modules: string;
}

const OWN: Platform = {
  platform: process.platform,
  arch: process.arch,
  node: process.versions.node,
  modules: process.versions.modules,
};
/** NODE_MODULE_VERSION of Node 22, the last that uws-pack has builds for. */
const UWS_PACK_LAST = 127;

const loadFile = createRequire(import.meta.url);

/** Path of the build within node_modules; undefined if there is none for this platform. */
export function buildFor({ platform, arch, node, modules }: Platform = OWN): string | undefined {
  const path =
    Number(modules) <= UWS_PACK_LAST
      ? `uWebSockets.js/dist/bin/uws_${platform}_${arch}_${modules}.node`
      : `@uwsjs/${platform}-${arch}-${Number.parseInt(node, 10)}/uws.node`;
  return path in BUILDS ? path : undefined;
}

/** The file of a build has other bytes than the released one. */
export class AlteredBuild extends Error {
  constructor(file: string, found: string, released: string) {
    super(`${file} is not the released build: its SHA-256 is ${found}, not ${released}`);
    this.name = 'AlteredBuild';
  }
}

/**
 * Loads the build of this platform.
 * @throws {AlteredBuild}
 * @throws {Error} if there is none, or the C library is older than the one it was built for
 */
export function loadBuild(): unknown {
  const path = buildFor();
  const file = path === undefined ? undefined : installedFile(path);
  if (path === undefined || file === undefined) throw new Error('no build is installed');
  checkBuild(file, BUILDS[path] ?? '');
  return loadFile(file);
}

/** @throws {AlteredBuild} unless the file has this SHA-256 */
export function checkBuild(file: string, released: string): void {
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== released) throw new AlteredBuild(file, found, released);
}

/** Does not resolve the package, which may export none of its files. */
export function installedFile(path: string): string | undefined {
  const folders = loadFile.resolve.paths(path) ?? [];
  return folders.map((folder) => join(folder, path)).find((file) => existsSync(file));
}

/** What decides which build can be loaded: `linux-x64, Node 24.22.3, glibc 2.36`. */
export function platformText(): string {
  const { platform, arch, node } = OWN;
  return [`${platform}-${arch}`, `Node ${node}`, ...glibc()].join(', ');
}

function glibc(): string[] {
  if (process.platform !== 'linux') return [];
  const { header } = process.report.getReport() as unknown as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  const { glibcVersionRuntime: version } = header;
  return [version === undefined ? 'no glibc' : `glibc ${version}`];
}
