/**
 * Writes deploy/dashboards from scripts/dashboards.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { commandLine } from './commands.ts';
import { DASHBOARDS, dashboardText } from './dashboards/index.ts';

commandLine('write-dashboards');
const folder = new URL('../deploy/dashboards/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
  writeFileSync(new URL(name, folder), dashboardText(dashboard));
}
