/** The client of the SDK, as programs that speak MCP have it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { COMMAND } from '../command.ts';

export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface McpClient {
  tools(): ReturnType<Client['listTools']>;
  call(name: string, args?: Record<string, unknown>): Promise<Told>;
  close(): Promise<void>;
}

/** @param url of the server @param query of the path `/mcp`, such as `?role=viewer` */
export async function connectOverHttp(
  url: string,
  token?: string,
  query: string = '',
): Promise<McpClient> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const address = new URL(`${url}/mcp${query}`);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return clientOf(client);
}

export function clientOf(client: Client): McpClient {
  return {
    tools: () => client.listTools(),
    async call(name, args = {}) {
      const { isError, content, structuredContent } = await client.callTool({
        name,
        arguments: args,
      });
      const [first] = content as readonly { readonly text: string }[];
      const data = (structuredContent ?? {}) as Told['data'];
      return { isError: isError === true, text: first?.text ?? '', data };
    },
    close: () => client.close(),
  };
}

/** @param args of `prorata mcp`, in a process of its own */
export async function connectOverStdio(
  args: readonly string[],
  cwd: string,
): Promise<McpClient & { readonly lines: readonly string[] }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [COMMAND, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    cwd,
    stderr: 'pipe',
  });
  const lines: string[] = [];
  transport.stderr?.on('data', (part: Buffer) => lines.push(...part.toString().split('\n')));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return { ...clientOf(client), lines };
}
