/** Dashboards as files: written by their script, with a unit and a description each; rules with a runbook each. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DASHBOARDS, dashboardText } from '../../scripts/dashboards/index.ts';
import { alertFaults, alertsOf } from '../support/alerts.ts';
import { faultsOf, type GrafanaDashboard, type GrafanaPanel } from '../support/grafana.ts';

const ROOT = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const RULES = textOf('deploy/rules/prorata.yaml');
const HEADINGS = new Set(
  [...textOf('docs/runbooks.md').matchAll(/^## (\S+)$/gm)].map(([, name = '']) => name),
);

test('deploy/dashboards is what scripts/write-dashboards.ts writes', () => {
  const names = Object.keys(DASHBOARDS);
  assert.deepEqual(readdirSync(new URL('deploy/dashboards', ROOT)).toSorted(), names.toSorted());
  for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
    const isSame = textOf(`deploy/dashboards/${name}`) === dashboardText(dashboard);
    assert.ok(isSame, `${name}: run node --import tsx scripts/write-dashboards.ts`);
  }
});

test('each panel has a unit, a description, a place of its own and the chosen data source', () => {
  for (const name of Object.keys(DASHBOARDS)) {
    const dashboard = JSON.parse(textOf(`deploy/dashboards/${name}`)) as GrafanaDashboard;
    assert.deepEqual(faultsOf(dashboard), [], name);
    assert.equal(dashboard.templating.list[0]?.type, 'datasource');
  }
});

const GOOD: GrafanaPanel = {
  id: 1,
  type: 'stat',
  title: 'good',
  description: 'Shows something.',
  gridPos: { x: 0, y: 0, w: 4, h: 4 },
  datasource: { uid: '${datasource}' },
  fieldConfig: { defaults: { unit: 'bytes' } },
  targets: [{ refId: 'A', expr: 'up', datasource: { uid: '${datasource}' } }],
};
const PLANTED: readonly (readonly [name: string, panel: object, fault: RegExp])[] = [
  ['no description', { description: '' }, /no sentence/],
  ['no unit', { fieldConfig: { defaults: {} } }, /no unit/],
  ['no query', { targets: [] }, /asks nothing/],
  ['a data source of its own', { datasource: { uid: 'mine' } }, /data source/],
  ['a place beyond the edge', { gridPos: { x: 22, y: 0, w: 4, h: 1 } }, /covers the edge/],
];
for (const [name, panel, fault] of PLANTED) {
  test(`a panel with ${name} is found`, () => {
    const found = faultsOf({
      uid: '',
      title: '',
      templating: { list: [] },
      panels: [{ ...GOOD, ...panel }],
    });
    assert.match(found.join(), fault);
  });
}

test('two panels in one place are found', () => {
  const panels = [GOOD, { ...GOOD, id: 2, title: 'other' }];
  const [first] = faultsOf({ uid: '', title: '', templating: { list: [] }, panels });
  assert.equal(first, 'other covers good');
});

test('each alert has a summary, a description, a severity and its section of the runbooks', () => {
  const alerts = alertsOf(RULES);
  assert.deepEqual(alertFaults(alerts, HEADINGS), []);
  assert.deepEqual([...HEADINGS].toSorted(), alerts.map(({ alert }) => alert).toSorted());
  assert.equal(
    alertFaults([{ alert: 'Bare', expr: 'up', labels: {}, annotations: {} }], HEADINGS).length,
    5,
  );
});

test('the command of the guide makes a PrometheusRule of the rules', () => {
  const guide = textOf('docs/operations.md');
  const head = /printf '(apiVersion: monitoring[^']*)'; sed 's\/\^\/ {2}\/'/.exec(guide)?.[1] ?? '';
  const text = head.replaceAll('\\n', '\n') + RULES.replaceAll(/^/gm, '  ');
  const { kind, spec } = parse(text) as { kind: string; spec: { groups: readonly object[] } };
  assert.equal(kind, 'PrometheusRule');
  assert.equal(spec.groups.length, 4);
});

test('the chart has costs scraped with the labels that dashboards ask for', () => {
  const template = textOf('deploy/helm/prorata/templates/servicemonitor.yaml');
  assert.match(template, /^ {6}honorLabels: true$/m);
});
