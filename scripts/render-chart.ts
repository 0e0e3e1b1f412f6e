/**
 * Writes deploy/manifests, by the chart, and the settings that the chart's schema knows, by the server. Needs helm,
 * from PATH or HELM.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  agentSettingsSchema,
  CHART,
  MANIFESTS,
  render,
  RENDERINGS,
  settingsSchema,
} from './chart-renderings.ts';
import { commandLine } from './commands.ts';

interface Settings {
  properties: Record<string, unknown>;
}

interface Schema {
  properties: { settings: Settings; agent: { properties: { settings: Settings } } };
}

commandLine('render-chart');
const path = join(CHART, 'values.schema.json');
const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema;
const { settings, agent } = schema.properties;
const parts = [
  { part: settings, properties: settingsSchema() },
  { part: agent.properties.settings, properties: agentSettingsSchema() },
];
// Left alone where nothing changed, as `npm run format` lays it out otherwise.
if (!parts.every(({ part, properties }) => isDeepStrictEqual(part.properties, properties))) {
  for (const { part, properties } of parts) part.properties = properties;
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
}

const helm = process.env['HELM'] ?? 'helm';
for (const rendering of RENDERINGS)
  writeFileSync(join(MANIFESTS, rendering.path), render(helm, rendering));
