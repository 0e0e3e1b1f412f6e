/** The sets of an answer with their external costs. */
import { externalRows, type ExternalCosts } from './external-costs.ts';
import type { Resolved } from './stored.ts';

/** Without external costs, and partial, where a bill cannot be read. */
export async function withExternalCosts(
  external: ExternalCosts | undefined,
  resolved: Resolved,
): Promise<Resolved> {
  const windows = resolved.groups.flatMap(({ members }) => members.map(({ stored }) => stored.key));
  const { rows, lacking } = await externalRows(external, windows);
  const byStart = new Map(windows.map(({ startMs }, i) => [startMs, rows[i]]));
  const groups = resolved.groups.map(({ window, members }) => ({
    window,
    members: members.map((member) => {
      const own = byStart.get(member.stored.key.startMs);
      return own === undefined || own.rows === '' ? member : { ...member, external: own };
    }),
  }));
  const isLacking = lacking.length > 0;
  return {
    ...resolved,
    groups,
    warnings: [...resolved.warnings, ...lacking],
    isPartial: resolved.isPartial || isLacking,
    isDamaged: resolved.isDamaged || isLacking,
  };
}
