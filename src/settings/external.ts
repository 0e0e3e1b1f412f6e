/** Settings of external costs: the token of pushes, and how costs join workloads. */
import { JOIN_PROPERTIES, JOIN_TAGS, tagName, type JoinTags } from '../billing/external/index.ts';
import type { Rows } from './settings.ts';

export interface ExternalSettings {
  /** The token that pushes must have; absent: pushes are refused. */
  readonly customCostToken: string | undefined;
  readonly customCostTokenFile: string | undefined;
  /** Tags by which external costs join workloads. */
  readonly externalTags: JoinTags;
}

export const EXTERNAL_SETTINGS: Rows<ExternalSettings> = {
  customCostToken: {
    key: 'customCostToken',
    env: 'CUSTOM_COST_TOKEN',
    help: 'bearer token for pushes of external costs',
    accepted: 'at least 16 visible ASCII characters without blanks',
    example: '…',
    otherwise: 'none, no push is taken',
    // Never on a command line, which all processes can read.
    isSecret: true,
    fallback: () => undefined,
    read: (text) => (/^[\x21-\x7e]{16,4096}$/.test(text) ? text : undefined),
  },
  customCostTokenFile: {
    key: 'customCostTokenFile',
    env: 'CUSTOM_COST_TOKEN_FILE',
    help: 'a file with that token; read again for each push',
    accepted: 'a path',
    example: '/etc/prorata/custom-cost-token',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
  externalTags: {
    key: 'externalTags',
    env: 'EXTERNAL_TAGS',
    help: 'tags of bills by which external costs join workloads, where not kubernetes_…',
    accepted: `a list of property=tag, properties ${JOIN_PROPERTIES.join(', ')}`,
    example: 'namespace=team_namespace,label=k8s_label_',
    otherwise: 'namespace=kubernetes_namespace and so on, label=kubernetes_label_',
    fallback: () => JOIN_TAGS,
    read: readTags,
  },
};

function readTags(text: string): JoinTags | undefined {
  const tags: Record<string, string> = { ...JOIN_TAGS };
  for (const item of text.split(',')) {
    const [property = '', tag = '', ...rest] = item.split('=').map((part) => part.trim());
    const known = JOIN_PROPERTIES.find((name) => name.toLowerCase() === property.toLowerCase());
    if (known === undefined || tag === '' || rest.length > 0) return undefined;
    tags[known] = tagName(tag);
  }
  return tags as JoinTags;
}
