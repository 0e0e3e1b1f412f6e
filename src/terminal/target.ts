/** The target of an answer: standard output, or a file that appears complete or not at all. */
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { Unavailable } from '../query/index.ts';
import { Interrupted } from './interrupt.ts';

export interface Target {
  /** Writes each chunk before the next is requested. @throws {Unavailable} naming the target */
  write(chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Leaves nothing behind unless the answer was written completely. */
  close(): Promise<void>;
}

/** Writes to a temporary name in the same folder, created at once, so that a wrong name fails early. */
export async function fileTarget(file: string): Promise<Target> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  const attempt = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Unavailable(`cannot write ${file}: ${reason}`, { cause });
    }
  };
  const handle = await attempt(open(temporary, 'w'));
  return {
    async write(chunks) {
      for await (const chunk of chunks) await attempt(handle.writeFile(chunk));
      await attempt(handle.datasync());
      await attempt(rename(temporary, file));
    },
    async close() {
      await handle.close();
      await rm(temporary, { force: true });
    },
  };
}

export function streamTarget(stream: Writable): Target {
  // Without a listener a reader that leaves would end the process with a stack.
  const ignore = (): void => undefined;
  stream.on('error', ignore);
  return {
    async write(chunks) {
      for await (const chunk of chunks) await taken(stream, chunk);
    },
    close() {
      stream.off('error', ignore);
      return Promise.resolve();
    },
  };
}

function taken(stream: Writable, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => {
      if (!error) resolve();
      else if ('code' in error && error.code === 'EPIPE') reject(new Interrupted('SIGPIPE'));
      else reject(new Unavailable(`cannot write the answer: ${error.message}`, { cause: error }));
    });
  });
}
