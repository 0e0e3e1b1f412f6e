/** HTTP calls to one origin: the only file that knows undici. */
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { HttpAnswer, HttpClient } from './http-call.ts';
import { SocketReads } from './socket-reads.ts';

export function openAgent(origin: string, options: buildConnector.BuildOptions): HttpClient {
  const connect = connectorOf(options);
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  return {
    send: ({ method, path, headers, body = null }, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const handler = answerHandler(signal, resolve, reject);
        agent.dispatch({ origin, method, path, headers, body }, handler);
      }),
    close: () => agent.destroy(),
  };
}

/** Plain sockets reuse their read memory; TLS has no option for that. */
function connectorOf(options: buildConnector.BuildOptions): buildConnector.connector {
  const secure = buildConnector(options);
  return (target, callback) => {
    if (target.protocol === 'https:') return secure(target, callback);
    const reads = new SocketReads();
    const plain = buildConnector({ ...options, onread: reads.options });
    plain(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      reads.socket = socket;
      callback(null, socket);
    });
  };
}

/** Instead of undici's own stream, which would wake its reader for each flush of a store. */
function answerHandler(
  signal: AbortSignal,
  onHead: (answer: HttpAnswer) => void,
  onFailure: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let flow: Dispatcher.DispatchController | undefined;
  let body: AnswerBody | undefined;
  const onAbort = (): void => {
    onFailure(signal.reason as Error);
    flow?.abort(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const end = (error: Error | null): void => {
    signal.removeEventListener('abort', onAbort);
    body?.end(error);
    if (error) onFailure(error);
  };
  return {
    onRequestStart(controller) {
      flow = controller;
      if (signal.aborted) onAbort();
    },
    onResponseStart(controller, status, headers) {
      body = new AnswerBody(controller);
      const header = (name: string): string => [headers[name] ?? ''].flat().join(', ');
      onHead({ status, header, body });
    },
    onResponseData: (_, chunk) => body?.chunk(chunk),
    onResponseEnd: () => end(null),
    onResponseError: (_, error) => end(error),
  };
}
