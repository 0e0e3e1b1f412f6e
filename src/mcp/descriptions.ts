/** How the route of the Model Context Protocol is described. */
import { objectOf, jsonOf, ROLES, TEXT, word, type DescribedRoom } from '../http/index.ts';

const ID = { type: ['string', 'integer'] };
const VERSION = { const: '2.0' };
const ERROR = objectOf({ code: { type: 'integer' }, message: TEXT, data: {} }, ['data']);

export const MCP_API: DescribedRoom = {
  routes: {
    'POST /mcp': {
      summary: 'One message of the Model Context Protocol: tools for programs that ask',
      parameters: {
        role: word('the rights that tools have, at most; default those of who asks', ROLES),
      },
      body: {
        schema: {
          type: 'object',
          required: ['jsonrpc'],
          properties: { jsonrpc: VERSION, id: ID, method: TEXT, params: { type: 'object' } },
        },
        example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      },
      answers: jsonOf({
        anyOf: [
          objectOf({ jsonrpc: VERSION, id: ID, result: { type: 'object' } }),
          objectOf({ jsonrpc: VERSION, id: ID, error: ERROR }),
        ],
      }),
      errors: [406],
      empty: 202,
    },
  },
};
