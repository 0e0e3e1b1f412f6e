/** The Model Context Protocol by its own SDK; it is loaded with the first message. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import { Fault } from '../query/index.ts';
import type { ToolDefinition } from './host.ts';
import type { ToolResult } from './result.ts';

/** The tools of one caller. */
export interface Offered {
  readonly version: string;
  readonly list: () => ToolDefinition[];
  /** @throws {Fault} where there is no such tool */
  readonly call: (name: string, given: unknown) => Promise<ToolResult>;
}

const INSTRUCTIONS =
  'What Kubernetes workloads cost. Begin with allocations (stored days, quick); allocations_on_demand is for hours. ' +
  'Costs are USD, windows are such as 7d, lastweek or 2024-05-01,2024-05-03. warnings tell what a number lacks: repeat ' +
  'those that matter. Results are pages: page.leftOutRows tells what is not shown, page.nextOffset is where to go on.';

/** One for all: each message has a server of its own. */
const VALIDATOR = new AjvJsonSchemaValidator();

function serverOf({ version, list, call }: Offered): Server {
  const server = new Server(
    { name: 'prorata', title: 'prorata', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: VALIDATOR },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: list() }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    try {
      return { ...(await call(params.name, params.arguments)) };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new McpError(ErrorCode.InvalidParams, error.message);
    }
  });
  return server;
}

export interface HttpAnswer {
  readonly status: number;
  /** '' where nothing is to be answered. */
  readonly body: string;
}

/**
 * Answers one message as streamable HTTP without sessions and without streams.
 * @param headers those of the protocol
 */
export async function answerMessage(
  offered: Offered,
  message: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<HttpAnswer> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const server = serverOf(offered);
  await server.connect(transport);
  try {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers });
    const response = await transport.handleRequest(request, { parsedBody: message });
    return { status: response.status, body: await response.text() };
  } finally {
    await server.close();
  }
}

/** Resolves when nobody writes to standard input any more, or when it is to stop. */
function stdinEnd(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    process.stdin.once('end', end).once('close', end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Answers messages of standard input. @returns when that ends and all calls are answered */
export async function serveStdio(offered: Offered, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const call: Offered['call'] = (name, given) => {
    const result = offered.call(name, given);
    const ended: Promise<unknown> = result
      .catch(() => undefined)
      .finally(() => running.delete(ended));
    running.add(ended);
    return result;
  };
  const server = serverOf({ ...offered, call });
  const ended = stdinEnd(signal);
  await server.connect(new StdioServerTransport());
  await ended;
  if (!signal.aborted) await Promise.all(running);
  // What was just answered is written before the transport closes.
  await new Promise((resolve) => setImmediate(resolve));
  await server.close();
}

/** Hands messages of standard input on. @param ask undefined: there is no answer */
export async function passStdio(
  ask: (message: unknown) => Promise<unknown>,
  signal: AbortSignal,
  note: (sentence: string) => void,
): Promise<void> {
  const transport = new StdioServerTransport();
  const running = new Set<Promise<unknown>>();
  transport.onmessage = (message) => {
    const passed = passOn(message).finally(() => running.delete(passed));
    running.add(passed);
  };
  transport.onerror = (error) => note(error.message);
  const passOn = async (message: JSONRPCMessage): Promise<void> => {
    try {
      const answer = await ask(message);
      if (answer !== undefined) await transport.send(answer as JSONRPCMessage);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      note(why);
      if (!('id' in message) || !('method' in message)) return;
      const failure = { code: ErrorCode.InternalError, message: why };
      await transport.send({ jsonrpc: '2.0', id: message.id, error: failure });
    }
  };
  const ended = stdinEnd(signal);
  await transport.start();
  await ended;
  if (!signal.aborted) await Promise.all(running);
  await transport.close();
}
