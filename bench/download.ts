/** The child of downloader.ts: takes lists of downloads, tells how many bytes came. */
import { Agent } from 'undici';

export interface Download {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** What the child is sent. */
export interface Downloads {
  readonly downloads: readonly Download[];
  readonly atOnce: number;
}

export type Downloaded = { readonly bytes: number } | { readonly error: string };

const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** The body's bytes, counted where undici hands them over. */
function download({ method, origin, path, headers = {}, body }: Download): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let status = 0;
    agent.dispatch(
      { method, origin, path, headers, body: body ?? null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => void (status = statusCode),
        onResponseData: (_controller, chunk) => void (bytes += chunk.length),
        onResponseEnd: () => (status === 200 ? resolve(bytes) : reject(new Error(`${status}`))),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

async function downloadAll({ downloads, atOnce }: Downloads): Promise<number> {
  let bytes = 0;
  const queue = downloads.values();
  const worker = async (): Promise<void> => {
    for (const each of queue) {
      const length = await download(each);
      bytes += length;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return bytes;
}

process.on('message', (wanted: Downloads) => {
  downloadAll(wanted).then(
    (bytes) => process.send?.({ bytes }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
