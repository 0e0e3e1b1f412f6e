/** GET /whoami: who the server takes its caller for. */
import { json, type Route } from '../http/index.ts';

export function accessRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/whoami',
      needs: 'viewer',
      scoping: 'unneeded',
      handle({ caller: { name, roles, filter, expiresMs, isSignedIn, csrfToken } }) {
        const expires = expiresMs === null ? null : new Date(expiresMs).toISOString();
        return json({ code: 200, data: { name, roles, filter, expires, isSignedIn, csrfToken } });
      },
    },
  ];
}
