/** GET /admin/doctor, and /diagnostics for clients of OpenCost: the report of the server on itself. */
import { json, type Route } from '../../http/index.ts';
import type { Config } from '../../settings/config.ts';
import type { Finding } from './findings.ts';
import { report, type Subject } from './report.ts';

const ROUTE = {
  method: 'GET',
  needs: 'admin',
  scoping: { refused: 'what ails the server is not of some rows' },
} as const;

export function doctorRoutes(config: Config, subject: () => Subject): Route[] {
  const findings = (): Promise<readonly Finding[]> => report(config, subject());
  return [
    { ...ROUTE, path: '/admin/doctor', handle: async () => json({ findings: await findings() }) },
    {
      ...ROUTE,
      path: '/diagnostics',
      handle: async () => json({ code: 200, data: diagnosticsOf(await findings()) }),
    },
  ];
}

/** `passed`: nothing is bad; findings by section, as the doctor has them. */
function diagnosticsOf(findings: readonly Finding[]): object {
  const sections = new Map<string, Finding[]>();
  for (const finding of findings) {
    const of = sections.get(finding.section) ?? [];
    sections.set(finding.section, of);
    of.push(finding);
  }
  const passed = findings.every(({ state }) => state !== 'bad');
  return { passed, sections: Object.fromEntries(sections) };
}
