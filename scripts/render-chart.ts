/**
 * Writes deploy/manifests, by the chart, and the settings that the chart's schema knows, by the server. Needs helm,
 * from PATH or HELM.
 *
 *   node --import tsx scripts/render-chart.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { CHART, MANIFESTS, render, RENDERINGS, settingsSchema } from './chart-renderings.ts';

interface Schema {
  properties: { settings: { properties: Record<string, unknown> } };
}

const path = join(CHART, 'values.schema.json');
const schema = JSON.parse(readFileSync(path, 'utf8')) as Schema;
const settings = settingsSchema();
// Left alone where nothing changed, as `npm run format` lays it out otherwise.
if (!isDeepStrictEqual(schema.properties.settings.properties, settings)) {
  schema.properties.settings.properties = settings;
  writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`);
}

const helm = process.env['HELM'] ?? 'helm';
for (const rendering of RENDERINGS)
  writeFileSync(join(MANIFESTS, rendering.path), render(helm, rendering));
