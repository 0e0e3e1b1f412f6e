/** Bundles the web page (src/web) into the files that browsers get, texts beside their compressed form. */
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, gzipSync } from 'node:zlib';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src/web');

/** Where the page is, from the root of the project and from that of a bundle. */
export const PAGE_FOLDER = 'dist/page';

/** What `page.html` names, and what it is asked with: a name stays, its version changes with the content. */
const NAMED = ['page.js', 'page.css', 'icon.svg'];

/** @param folder is made */
export async function buildPage(folder: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [
      { in: join(SOURCES, 'main.tsx'), out: 'page' },
      { in: join(SOURCES, 'page.css'), out: 'page' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'icon.svg'), readFileSync(join(SOURCES, 'icon.svg')));
  let html = readFileSync(join(SOURCES, 'page.html'), 'utf8');
  for (const name of NAMED) {
    const version = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    html = html.replaceAll(`ui/${name}`, `ui/${name}?v=${version.slice(0, 16)}`);
  }
  writeFileSync(join(folder, 'page.html'), html);
  for (const name of ['page.js', 'page.css', 'page.html']) {
    const short = gzipSync(readFileSync(join(folder, name)), {
      level: constants.Z_BEST_COMPRESSION,
    });
    writeFileSync(join(folder, `${name}.gz`), short);
  }
}
