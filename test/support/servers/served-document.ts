/** The document of the API of a server that has every route. */
import type { ApiDocument } from '../../../scripts/api-reference.ts';
import { openApiOf } from '../../../src/http/index.ts';
import { DESCRIBED_ROOMS } from '../../../src/server/openapi/descriptions.ts';
import { UNUSED_LOGIN_FLAGS } from './login-world.ts';
import { startOwnServer, type OwnServer } from './own-server.ts';

/** Routes of a server where browsers may sign in, which others lack. */
export async function allRoutes(): Promise<OwnServer['routes']> {
  const server = await startOwnServer(['--workers=1', ...UNUSED_LOGIN_FLAGS]);
  await server.stop();
  return server.routes;
}

export async function servedDocument(): Promise<ApiDocument> {
  const options = { version: '1.2.3', dialects: 'prefix' } as const;
  const document: object = openApiOf(await allRoutes(), DESCRIBED_ROOMS, options);
  return document as ApiDocument;
}
