/** Settings as they may be shown: where each comes from, and no secret. */
import { hideSecrets, hideUrlSecrets } from '../query/index.ts';
import type { Machine, Setting } from './settings.ts';

export interface ToldSetting {
  readonly key: string;
  /** As it was written; `***` in place of secrets. */
  readonly value: string;
  /** The flag, variable, or key of a file that it comes from; `default`. */
  readonly from: string;
}

export function toldSetting(
  row: Setting<unknown>,
  given: { readonly name: string; readonly text: string } | undefined,
  machine: Machine,
): ToldSetting {
  const { key } = row;
  if (given === undefined) {
    return { key, value: row.otherwise ?? String(row.fallback(machine)), from: 'default' };
  }
  return { key, value: shown(row, given.text), from: given.name };
}

function shown(row: Setting<unknown>, text: string): string {
  if (row.isSecret === true) return '***';
  if (row.isUrl === true) return text.split(/\s+/).map(hideUrlSecrets).join(' ');
  // Names are shown, values may be credentials.
  if (row.hasSecretValues === true) return text.replace(/(:)[^\n]*/g, '$1 ***');
  return hideSecrets(text);
}
