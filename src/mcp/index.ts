export { MCP_API } from './descriptions.ts';
export type { Served } from './host.ts';
export { mcpRoute } from './routes.ts';
export { passTools, serveTools } from './local.ts';
