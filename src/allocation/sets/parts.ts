/** All rows of one set: those of each account, and idle rows. */
import { NODE_COSTS } from '../../assets/columns.ts';
import { NodeCostSums, type NodeCosts } from '../../assets/node-costs.ts';
import {
  frameTable,
  numberReader,
  textReader,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';
import type { CodedFrame } from '../row/coded-frame.ts';
import { PRICE_SOURCE } from '../row/schema.ts';
import type { Account } from '../ledger/decide.ts';
import { NO_EXCESS, type Excess } from './excess.ts';
import { leaveIdle } from './idle.ts';
import { openMembers } from '../ledger/members.ts';
import type { SetOfLedger } from './running.ts';
import { unseenRows } from './sampled-costs.ts';
import { setRows } from './set-rows.ts';

export interface Accounts {
  readonly accounts: readonly Account[];
  /** Costs of nodes; null without idle. */
  readonly nodes: Account | null;
}

export interface SetParts {
  /** Idle is the last, where it is requested. */
  readonly parts: readonly CodedFrame[];
  /** What ran between the points of a grid, a part each; empty if exact. */
  readonly unseen: readonly CodedFrame[];
  readonly excess: Excess;
  /** Empty without idle. */
  readonly nodeCosts: NodeCosts;
}

export function rowsOfSet(
  space: Workspace,
  { accounts, nodes }: Accounts,
  set: SetOfLedger,
): SetParts {
  const partOf = (account: Account): CodedFrame => {
    const members = openMembers(space.engine.arena, account.members);
    return { frame: setRows(space, account, members, set), texts: members.dictionary };
  };
  const unseenOf = ({ ledger, members: at }: Account): CodedFrame => {
    const members = openMembers(space.engine.arena, at);
    return { frame: unseenRows(space, ledger, members, set), texts: members.dictionary };
  };
  const parts = accounts.map(partOf);
  const unseen = set.resolutionMs === 0 ? [] : accounts.map(unseenOf);
  if (!nodes) return { parts, unseen, excess: NO_EXCESS, nodeCosts: {} };
  const idle = partOf(nodes);
  // Before allocations are taken off, rows of idle are whole nodes.
  const nodeCosts = costsOf(tableOf(idle));
  const excess = leaveIdle(idle.frame, idle.texts, parts.map(tableOf), unseen.map(tableOf));
  const unseenNodes = set.resolutionMs === 0 ? [] : [unboundBelow(unseenOf(nodes))];
  return { parts: [...parts, idle], unseen: [...unseen, ...unseenNodes], excess, nodeCosts };
}

function tableOf({ frame, texts }: CodedFrame): Table {
  return frameTable(frame, texts);
}

/** Any part of a node that no point saw may have been idle. */
function unboundBelow(nodes: CodedFrame): CodedFrame {
  nodes.frame.f64('sampledCostLeast').fill(0);
  return nodes;
}

function costsOf(nodes: Table): NodeCosts {
  const sums = new NodeCostSums();
  const source = textReader(nodes, PRICE_SOURCE);
  const costs = NODE_COSTS.map((name) => numberReader(nodes, name));
  for (let row = 0; row < nodes.rows; row++) {
    const usd = costs.reduce((sum, cost) => sum + cost(row), 0);
    sums.add(source(row), usd);
  }
  return sums.all;
}
