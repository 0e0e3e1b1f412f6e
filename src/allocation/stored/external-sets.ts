/** The sets of an answer with their external costs. */
import { Unavailable } from '../../query/index.ts';
import { lackingExternal, type ExternalCosts } from './external-costs.ts';
import type { Resolved } from './stored.ts';

/** Where a bill cannot be read, without. */
export async function withExternalCosts(
  external: ExternalCosts | undefined,
  resolved: Resolved,
): Promise<Resolved> {
  if (external === undefined) return resolved;
  const windows = resolved.groups.flatMap(({ members }) => members.map(({ stored }) => stored.key));
  try {
    const rows = await external.rowsOf(windows);
    const byStart = new Map(windows.map(({ startMs }, i) => [startMs, rows[i]]));
    const groups = resolved.groups.map(({ window, members }) => ({
      window,
      members: members.map((member) => {
        const own = byStart.get(member.stored.key.startMs);
        return own === undefined || own.rows === '' ? member : { ...member, external: own };
      }),
    }));
    return { ...resolved, groups };
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const warnings = [...resolved.warnings, lackingExternal(error)];
    return { ...resolved, warnings, isPartial: true, isDamaged: true };
  }
}
