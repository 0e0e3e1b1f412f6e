/** Calls of one origin over its connections: the only file that knows undici. */
import { Agent, type Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import type { HttpAnswer, HttpClient } from './http-call.ts';

export function openAgent(
  origin: string,
  connect: NonNullable<Agent.Options['connect']>,
): HttpClient {
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

/** undici's own stream would wake its reader for each frame that a store flushes. */
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
