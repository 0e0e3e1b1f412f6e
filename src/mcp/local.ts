/** The tools over standard input and output: of this process, or of a server. */
import {
  EVERYBODY,
  ownVisit,
  type AdmittedRequest,
  type Caller,
  type Role,
} from '../http/index.ts';
import { Unavailable } from '../query/index.ts';
import { ToolHost, type Served } from './host.ts';
import { at } from './tool.ts';

const NAME = 'stdio';

/** @param role the rights of whoever asks @returns when standard input ends and all is answered */
export async function serveTools(served: Served, role: Role, signal: AbortSignal): Promise<void> {
  // Nothing else counts these requests.
  const host = new ToolHost({ ...served, answer: served.answerMore });
  const caller: Caller = { ...EVERYBODY, name: NAME, roles: [role] };
  const { serveStdio } = await import('./protocol.ts');
  await serveStdio(
    {
      version: served.version,
      list: () => host.list(caller),
      call: (name, given) => host.call(name, given, new LocalRequest(caller, signal)),
    },
    signal,
  );
}

/** A request that came over no connection. */
class LocalRequest implements AdmittedRequest {
  readonly method = 'POST';
  readonly path = '/mcp';
  readonly query = '';
  readonly body: Uint8Array = new Uint8Array(0);
  readonly visit: AdmittedRequest['visit'] = ownVisit();
  readonly caller: Caller;
  readonly signal: AbortSignal;

  constructor(caller: Caller, signal: AbortSignal) {
    this.caller = caller;
    this.signal = signal;
    this.visit.who = NAME;
  }

  header(): string {
    return '';
  }
}

export interface Remote {
  /** The server, such as `http://127.0.0.1:9003`. */
  readonly url: string;
  /** Read for each message: tokens are renewed. */
  readonly token: () => string | undefined;
  readonly role: Role;
}

/** Hands each message to a server, and its answer back. @returns when standard input ends and all is answered */
export async function passTools(
  { url, token, role }: Remote,
  signal: AbortSignal,
  note: (sentence: string) => void,
): Promise<void> {
  const address = `${url.replace(/\/+$/, '')}/mcp?role=${role}`;
  const { passStdio } = await import('./protocol.ts');
  let version: string | undefined;
  const ask = async (message: unknown): Promise<unknown> => {
    const bearer = token();
    const response = await post(address, JSON.stringify(message), signal, {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    });
    const text = await response.text();
    if (response.ok) {
      const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
      const agreed = at(answer, 'result', 'protocolVersion');
      if (typeof agreed === 'string') version = agreed;
      return answer;
    }
    throw new Unavailable(`${url} answers ${response.status}: ${messageIn(text)}`);
  };
  await passStdio(ask, signal, note);
}

function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const said = [at(body, 'message'), at(body, 'hint')];
    return said.filter((part) => typeof part === 'string').join('; ');
  } catch {
    return text.slice(0, 200);
  }
}

async function post(
  address: string,
  body: string,
  signal: AbortSignal,
  own: Readonly<Record<string, string>>,
): Promise<Response> {
  const headers = {
    ...own,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  try {
    return await fetch(address, { method: 'POST', body, headers, signal });
  } catch (cause) {
    const inner = at(cause, 'cause');
    const reason = inner instanceof Error ? inner.message : String(cause);
    throw new Unavailable(`cannot ask ${address.split('?')[0]}: ${reason}`, { cause });
  }
}
