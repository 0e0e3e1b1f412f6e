/** GET /admin/doctor: the report of the server on itself. */
import { json, type Route } from '../../http/index.ts';
import type { Config } from '../../settings/config.ts';
import { report, type Subject } from './report.ts';

export function doctorRoute(config: Config, subject: () => Subject): Route {
  return {
    method: 'GET',
    path: '/admin/doctor',
    needs: 'admin',
    scoping: { refused: 'what ails the server is not of some rows' },
    handle: async () => json({ findings: await report(config, subject()) }),
  };
}
