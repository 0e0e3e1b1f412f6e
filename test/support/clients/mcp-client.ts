/** The client of the SDK, as programs that speak MCP have it. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

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
