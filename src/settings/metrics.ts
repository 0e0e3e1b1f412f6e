/** Settings of the metrics store: its reader, headers and credentials. */
import type { Rows, Setting } from './settings.ts';

export interface MetricsSettings {
  readonly metricsReader: 'auto' | 'remote-read' | 'victoria-export' | 'query-range';
  readonly metricsUser: string | undefined;
  readonly metricsPassword: string | undefined;
  readonly metricsPasswordFile: string | undefined;
  readonly metricsToken: string | undefined;
  readonly metricsTokenFile: string | undefined;
  readonly metricsTenant: string | undefined;
  readonly metricsHeader: Readonly<Record<string, string>> | undefined;
  readonly metricsCaFile: string | undefined;
  readonly metricsCertFile: string | undefined;
  readonly metricsKeyFile: string | undefined;
}

const READERS: readonly MetricsSettings['metricsReader'][] = [
  'auto',
  'remote-read',
  'victoria-export',
  'query-range',
];

/** RFC 9110, 5.1 and 5.5: a token, and visible ASCII with spaces inside. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/;

export const METRICS_SETTINGS: Rows<MetricsSettings> = {
  metricsReader: {
    key: 'metricsReader',
    env: 'METRICS_READER',
    help: 'how samples are read from the metrics store; auto asks it',
    accepted: READERS.join(', '),
    example: 'query-range',
    fallback: () => 'auto',
    read: (text) => READERS.find((reader) => reader === text),
  },
  metricsUser: header('metricsUser', 'METRICS_USER', 'user of the metrics store', 'prorata'),
  metricsPassword: secret('metricsPassword', 'METRICS_PASSWORD', 'password of that user'),
  metricsPasswordFile: path('metricsPasswordFile', 'METRICS_PASSWORD_FILE', 'with that password'),
  metricsToken: secret('metricsToken', 'METRICS_TOKEN', 'bearer token for the metrics store'),
  metricsTokenFile: path('metricsTokenFile', 'METRICS_TOKEN_FILE', 'with that token'),
  metricsTenant: header(
    'metricsTenant',
    'METRICS_TENANT',
    'tenant of the metrics store, sent as X-Scope-OrgID',
    'team-a',
  ),
  metricsHeader: {
    key: 'metricsHeader',
    hasSecretValues: true,
    env: 'METRICS_HEADER',
    help: 'further headers for the metrics store, one a line',
    accepted: "lines of 'Name: value' in visible ASCII",
    example: 'X-Team: costs',
    otherwise: 'none',
    fallback: () => undefined,
    read: readHeaders,
  },
  metricsCaFile: path(
    'metricsCaFile',
    'METRICS_CA_FILE',
    'with the authorities to trust instead of the usual, PEM',
  ),
  metricsCertFile: path('metricsCertFile', 'METRICS_CERT_FILE', 'with our own certificate, PEM'),
  metricsKeyFile: path('metricsKeyFile', 'METRICS_KEY_FILE', "with that certificate's key, PEM"),
};

type Optional = Setting<string | undefined>;

function header(key: string, env: string, help: string, example: string): Optional {
  return { ...optional(key, env, help), accepted: 'visible ASCII', example, read: visible };
}

/** Never on a command line, which all processes can read. */
function secret(key: string, env: string, help: string): Optional {
  const row = optional(key, env, help);
  return { ...row, isSecret: true, accepted: 'visible ASCII', example: '…', read: visible };
}

function path(key: string, env: string, content: string): Optional {
  const read = (text: string): string | undefined => (text.includes('\0') ? undefined : text);
  const example = '/etc/prorata/file';
  return { ...optional(key, env, `a file ${content}`), accepted: 'a path', example, read };
}

function optional(
  key: string,
  env: string,
  help: string,
): Omit<Optional, 'accepted' | 'example' | 'read'> {
  return { key, env, help, otherwise: 'none', fallback: () => undefined };
}

function visible(text: string): string | undefined {
  return /^[\x20-\x7e]{1,4096}$/.test(text) ? text : undefined;
}

function readHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => HEADER.exec(line.trim()));
  if (pairs.some((pair) => pair === null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']));
}
