/**
 * Writes deploy/dashboards from scripts/dashboards.
 *
 *   node --import tsx scripts/write-dashboards.ts
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { DASHBOARDS, dashboardText } from './dashboards/index.ts';

const folder = new URL('../deploy/dashboards/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
  writeFileSync(new URL(name, folder), dashboardText(dashboard));
}
