/** The sets of an answer with their external costs. */
import { externalRows, type ExternalCosts } from './external-costs.ts';
import type { Resolved } from './stored.ts';

/** Partial where no bill tells of external costs, and without any where one cannot be read. */
export async function withExternalCosts(
  external: ExternalCosts | undefined,
  resolved: Resolved,
): Promise<Resolved> {
  const windows = resolved.groups.flatMap(({ members }) => members.map(({ stored }) => stored.key));
  const { rows, caveats, isDamaged } = await externalRows(external, windows);
  const byStart = new Map(windows.map(({ startMs }, i) => [startMs, rows[i]]));
  const groups = resolved.groups.map(({ window, members }) => ({
    window,
    members: members.map((member) => {
      const own = byStart.get(member.stored.key.startMs);
      return own === undefined || own.rows === '' ? member : { ...member, external: own };
    }),
  }));
  return {
    ...resolved,
    groups,
    warnings: [...resolved.warnings, ...caveats.warnings],
    isPartial: resolved.isPartial || caveats.isPartial,
    isDamaged: resolved.isDamaged || isDamaged,
  };
}
