/** The whole report on a server, or on what would be one by the same settings. */
import { hideSecrets } from '../../query/index.ts';
import type { Config } from '../../settings/config.ts';
import type { QueriedSets } from '../../storage/index.ts';
import { bills } from './bills.ts';
import { found, foundThat, inSection, type Finding, type Found } from './findings.ts';
import { folder } from './folder.ts';
import { certificate, limits, versions } from './machine.ts';
import { packageVersion } from '../package-version.ts';
import { stores, type ProbedSource } from './store.ts';

export interface Subject {
  /** Undefined: a server alone reads it. */
  readonly source: ProbedSource | undefined;
  /** Undefined where the folder cannot be opened: with the reason. */
  readonly sets: QueriedSets | Error;
  /** Findings of the receiver; none where nothing is received. */
  readonly receiver?: readonly Found[];
  /** Further findings of a server that runs. */
  readonly running?: readonly Found[];
}

const READ_BY_SERVER: readonly Found[] = [
  found('store', 'the receiver of the server that has the folder: --url URL asks that server'),
];

export async function report(config: Config, subject: Subject): Promise<Finding[]> {
  const { source, sets, receiver = [], running = [] } = subject;
  const { told } = config;
  const nowMs = Date.now();
  const stored =
    sets instanceof Error
      ? [
          foundThat(
            'folder',
            sets.message,
            'bad',
            'see --data-dir and --store, and who may read it',
          ),
        ]
      : await folder(sets, config);
  const sections: readonly (readonly [string, readonly Found[]])[] = [
    ['versions', versions(packageVersion())],
    ['limits', limits(config)],
    ...(source === undefined
      ? [['metrics store', READ_BY_SERVER] as const]
      : await stores(source, nowMs)),
    ['data folder', stored],
    ['receiver', receiver],
    ['bills', await bills(config)],
    ['certificate', certificate(config, nowMs)],
    ['running', running],
    ['settings', told.map(({ key, value, from }) => found(key, from === 'default' ? `${value} (default)` : `${value} (from ${from})`))],
  ]; // prettier-ignore
  return sections.flatMap(([name, all]) => inSection(name, all)).map(withoutSecrets);
}

/** The finding without secrets of URLs, which reasons of failures may have. */
function withoutSecrets(finding: Finding): Finding {
  return { ...finding, value: hideSecrets(finding.value) };
}
