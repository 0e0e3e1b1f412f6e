import { Worker } from 'node:worker_threads';

/**
 * A worker thread that runs a TypeScript module. On Node 20 a thread does not inherit tsx's loader,
 * so it registers its own.
 */
export function typescriptWorker(entry: URL, workerData: unknown): Worker {
  const source = `import('tsx/esm/api').then(({ register }) => {
    register();
    return import(${JSON.stringify(entry.href)});
  });`;
  return new Worker(source, { eval: true, workerData });
}
