/** Alerts of a file of rules. */
import { parse } from 'yaml';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function alertsOf(text: string): Alert[] {
  const { groups } = parse(text) as { groups: readonly { readonly rules: readonly Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

/** What whoever is woken by an alert would miss. @param headings of the document of runbooks */
export function alertFaults(alerts: readonly Alert[], headings: ReadonlySet<string>): string[] {
  return alerts.flatMap(({ alert, labels, annotations }) => {
    const { summary = '', description = '', runbook_url: url = '' } = annotations;
    const faults = [
      ...(/^(critical|warning)$/.test(labels['severity'] ?? '') ? [] : ['no severity']),
      ...(summary === '' ? ['no summary'] : []),
      ...(/^\S.*\.$/.test(description) ? [] : ['no description']),
      ...(url === `docs/runbooks.md#${alert.toLowerCase()}` ? [] : [`the runbook ${url}`]),
      ...(headings.has(alert) ? [] : ['no section of docs/runbooks.md']),
    ];
    return faults.map((fault) => `${alert} has ${fault}`);
  });
}
