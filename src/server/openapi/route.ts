/** `GET /openapi.json`: the document of the API, made of the routes of this server at the first question. */
import {
  bytes,
  caveatHeaders,
  openApiOf,
  paramsOf,
  type DialectRule,
  type Route,
} from '../../http/index.ts';
import { DESCRIBED_ROOMS } from './descriptions.ts';
import { packageVersion } from '../package-version.ts';

/** @param served all routes, this one with them */
export function openApiRoute(served: () => readonly Route[], dialects: DialectRule): Route {
  let document: Buffer | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    needs: 'viewer',
    scoping: 'unneeded',
    handle(request) {
      const version = packageVersion();
      document ??= Buffer.from(
        JSON.stringify(openApiOf(served(), DESCRIBED_ROOMS, { version, dialects })),
      );
      const told = { warnings: paramsOf(request).ignored(), isPartial: false };
      return bytes('application/json', document, caveatHeaders(told));
    },
  };
}
