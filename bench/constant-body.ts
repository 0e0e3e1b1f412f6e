/** A server of one constant body, for what the front end itself can do: argv is its length. */
import { uwsFrontEnd } from '../src/http/uws/front-end.ts';

const body = Buffer.alloc(Number(process.argv[2]), 'x');
const headers = Object.freeze({ 'content-type': 'application/json' });
const server = uwsFrontEnd(() => ({ status: 200, headers, body }));
const port = await server.listen('127.0.0.1', 0);
process.send?.(port);
