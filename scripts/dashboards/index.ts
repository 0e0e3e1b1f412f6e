/** The dashboards that are shipped, by the names of their files. */
import { HEALTH } from './health.ts';
import { NAMESPACE } from './namespace.ts';
import { OVERVIEW } from './overview.ts';
import { grafanaOf, type Dashboard } from './panels.ts';

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  'overview.json': OVERVIEW,
  'namespace.json': NAMESPACE,
  'health.json': HEALTH,
};

/** The text of a dashboard's file. */
export function dashboardText(dashboard: Dashboard): string {
  return `${JSON.stringify(grafanaOf(dashboard), null, 2)}\n`;
}
