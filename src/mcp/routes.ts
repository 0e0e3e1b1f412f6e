/** `POST /mcp`: the tools for programs that speak the Model Context Protocol over HTTP, one message a request. */
import {
  json,
  PassedOn,
  paramsOf,
  requireRole,
  ROLES,
  type AdmittedRequest,
  type Caller,
  type HttpReply,
  type Role,
  type Route,
} from '../http/index.ts';
import { bodyText, Fault, oneOf, readBoundedJson } from '../query/index.ts';
import { ToolHost, type Served } from './host.ts';

const EXAMPLE = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
const TAKEN = ['application/json', 'text/event-stream'];

/** @param served all that tools ask, this route with it */
export function mcpRoute(served: () => Served): Route {
  let host: ToolHost | undefined;
  return {
    method: 'POST',
    path: '/mcp',
    needs: 'viewer',
    scoping: 'unneeded',
    handle: (request) => answered((host ??= new ToolHost(served())), request),
  };
}

async function answered(host: ToolHost, request: AdmittedRequest): Promise<HttpReply> {
  const params = paramsOf(request);
  const caller = limited(request.caller, params.parsed('role', oneOf('role', ROLES), undefined));
  params.refuseUnread();
  requireTaken(request.header('accept'));
  const message = readBoundedJson(bodyText(request.body, `send ${EXAMPLE}`), 'the body', EXAMPLE);
  if (Array.isArray(message)) throw batch();
  const { answerMessage } = await import('./protocol.ts');
  const asked = new Limited(request, caller);
  const { version } = host;
  const offered = {
    version,
    list: () => host.list(caller),
    call: (name: string, given: unknown) => host.call(name, given, asked),
  };
  const protocolVersion = request.header('mcp-protocol-version');
  const { status, body } = await answerMessage(offered, message, {
    accept: TAKEN.join(', '),
    'content-type': 'application/json',
    ...(protocolVersion === '' ? {} : { 'mcp-protocol-version': protocolVersion }),
  });
  if (body === '') return { status, headers: {}, body };
  if (status >= 400) throw refusal(status, body);
  return { ...json(null), status, body };
}

/** The caller with the rights of that role alone. @throws {Fault} 403 where it has less */
function limited(caller: Caller, role: Role | undefined): Caller {
  if (role === undefined) return caller;
  requireRole(caller, role, `role=${role}`);
  return { ...caller, roles: [role] };
}

/** Clients of the protocol take JSON and streams; others take anything. @throws {Fault} 406 */
function requireTaken(accept: string): void {
  if (accept === '' || /application\/(json|\*)|\*\/\*/.test(accept)) return;
  throw new Fault(`accept is '${accept.slice(0, 80)}'; answers are application/json`, {
    status: 406,
    parameter: 'accept',
    hint: `send accept: ${TAKEN.join(', ')}`,
  });
}

function batch(): Fault {
  return new Fault('the body is a list; a request has one message', {
    hint: `for example ${EXAMPLE}`,
  });
}

/** What the protocol's own code refuses, in the form of all errors. */
function refusal(status: number, body: string): Fault {
  const { error } = JSON.parse(body) as { readonly error: { readonly message: string } };
  return new Fault(error.message, { status, hint: `for example ${EXAMPLE}` });
}

class Limited extends PassedOn implements AdmittedRequest {
  readonly caller: Caller;

  constructor(request: AdmittedRequest, caller: Caller) {
    super(request);
    this.caller = caller;
  }
}
