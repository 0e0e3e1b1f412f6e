/** Requests a prediction from a running server. */
import type { Prediction } from '../prediction/index.ts';
import { Fault, Unavailable } from '../query/index.ts';

interface Answer {
  readonly predictions: readonly Prediction[];
  readonly warnings: readonly string[];
}

/**
 * @param url of the server, such as `http://127.0.0.1:9003`
 * @throws {Fault} a refusal, with the server's message
 * @throws {Unavailable} when the server cannot be reached
 */
export async function requestPrediction(
  url: string,
  query: string,
  manifests: string,
  signal: AbortSignal,
): Promise<Answer> {
  const address = `${url.replace(/\/+$/, '')}/model/prediction/speccost?${query}`;
  const response = await post(address, manifests, signal);
  const text = await response.text();
  const body = asJson(text);
  if (response.ok && Array.isArray(body)) {
    const warnings = response.headers.get('x-prorata-warnings');
    return { predictions: body as Prediction[], warnings: warnings === null ? [] : [warnings] };
  }
  const { message = text.slice(0, 200), hint } = Object(body) as {
    message?: string;
    hint?: string;
  };
  const said = `${url} answers ${response.status}: ${message}`;
  if (response.status >= 500 || response.ok) throw new Unavailable(said);
  throw new Fault(said, hint === undefined ? {} : { hint });
}

async function post(address: string, body: string, signal: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/yaml' };
  try {
    return await fetch(address, { method: 'POST', body, headers, signal });
  } catch (cause) {
    const { cause: inner } = Object(cause) as { cause?: unknown };
    const reason = inner instanceof Error ? inner.message : String(cause);
    throw new Unavailable(`cannot ask ${address.split('?')[0]}: ${reason}`, { cause });
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
