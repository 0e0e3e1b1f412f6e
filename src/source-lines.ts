/**
 * Stack traces of the bundle name lines of the sources. The bundle begins with this, in each
 * thread. Node's own `--enable-source-maps` reads every map when its module is loaded (60 ms); here a
 * map is read when the first stack that needs it is.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Some 10 MB a thread: for the stacks that are read together. */
const maps = new Map<string, SourceMap | undefined>();
const FORGOTTEN_AFTER_MS = 1000;

/** V8 calls it when a stack is first read (https://v8.dev/docs/stack-trace-api). */
Error.prepareStackTrace = (error, sites) => {
  const lines = sites.map(String).map((text, i) => `    at ${placed(text, sites[i])}`);
  return [String(error), ...lines].join('\n');
};

/** @param text as V8 tells the site @returns the same with the source's place for the bundle's */
function placed(text: string, site: NodeJS.CallSite | undefined): string {
  const [file, line, column] = [
    site?.getFileName(),
    site?.getLineNumber(),
    site?.getColumnNumber(),
  ];
  if (typeof file !== 'string' || !line || !column) return text;
  const found = mapOf(file)?.findEntry(line - 1, column - 1);
  if (found === undefined || !('originalSource' in found)) return text;
  const source = new URL(found.originalSource, file);
  const place = `${source.href}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  return text.replace(`${file}:${line}:${column}`, place);
}

function mapOf(file: string): SourceMap | undefined {
  if (!file.startsWith('file:')) return undefined;
  if (!maps.has(file)) {
    maps.set(file, readMap(fileURLToPath(`${file}.map`)));
    setTimeout(() => maps.delete(file), FORGOTTEN_AFTER_MS).unref();
  }
  return maps.get(file);
}

function readMap(path: string): SourceMap | undefined {
  if (!existsSync(path)) return undefined;
  return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
}
