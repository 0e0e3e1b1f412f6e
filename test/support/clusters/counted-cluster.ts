/**
 * A planned cluster, the agent that reads it and prorata that receives and counts: all over HTTP, the
 * agent in its own process, the whole at one time that is moved as fast as the work allows.
 *
 *     plan ─► API server, kubelets ─► prorata agent ─► prorata serve --receive ─► allocations
 *       └───────────────► closed form ───────────────────────────── = ───────────────┘
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedRows, type Sampling } from './closed-form.ts';
import { compared, type Comparison, type CountedRow } from './comparison.ts';
import { DrivenAgent } from './driven-agent.ts';
import { kubeletTls } from './kubelet-tls.ts';
import { HOUSEKEEPING_MS } from './kubelet-text.ts';
import type { ClusterPlan } from './plan.ts';
import { faultsFrom, type PlannedFaults } from './planned-faults.ts';
import { startSimulatedCluster, type SimulatedCluster } from './simulated-cluster.ts';

export interface CountedClusterOptions {
  readonly plan: ClusterPlan;
  /** Where prorata receives. */
  readonly serverUrl: string;
  readonly intervalMs: number;
  /** When faults begin; absent: there are none. */
  readonly faultsMs?: number;
  /** See `DrivenAgent`. */
  readonly stepMs?: number;
}

export class CountedCluster {
  readonly cluster: SimulatedCluster;
  readonly agent: DrivenAgent;
  readonly #options: CountedClusterOptions;
  readonly #faults: PlannedFaults | undefined;
  readonly #home: string;

  static async start(options: CountedClusterOptions): Promise<CountedCluster> {
    const { plan, serverUrl, intervalMs, faultsMs, stepMs } = options;
    const home = mkdtempSync(join(tmpdir(), 'prorata-counted-'));
    const tls = kubeletTls(home, plan.nodes.length);
    const parts: { cluster?: SimulatedCluster; agent?: DrivenAgent } = {};
    const faults =
      faultsMs === undefined
        ? undefined
        : faultsFrom(plan, faultsMs, ({ node, port }) => {
            const place = plan.nodes.find(({ name }) => name === node);
            if (place) parts.agent?.forget(parts.cluster?.kubelets.place(place).port ?? 0, port);
          });
    const cluster = await startSimulatedCluster(plan, { tls, ...faults });
    parts.cluster = cluster;
    const agent = await DrivenAgent.start({
      cluster,
      remoteWriteUrl: `${serverUrl}/api/v1/write`,
      interval: `${intervalMs / 1000}s`,
      kubeletCaFile: tls.caFile,
      ...(stepMs && { stepMs }),
    });
    parts.agent = agent;
    return new CountedCluster({ cluster, agent, options, faults, home });
  }

  private constructor(parts: {
    readonly cluster: SimulatedCluster;
    readonly agent: DrivenAgent;
    readonly options: CountedClusterOptions;
    readonly faults: PlannedFaults | undefined;
    readonly home: string;
  }) {
    [this.cluster, this.agent, this.#home] = [parts.cluster, parts.agent, parts.home];
    [this.#options, this.#faults] = [parts.options, parts.faults];
  }

  async run(untilMs: number): Promise<void> {
    await this.agent.run(untilMs);
  }

  /** Compares what is counted between two times with the closed form. @param isFaulty faults fall within */
  async compare(fromMs: number, untilMs: number, isFaulty: boolean = false): Promise<Comparison> {
    const { plan, serverUrl, intervalMs } = this.#options;
    const window = [fromMs, untilMs].map((atMs) => new Date(atMs).toISOString()).join(',');
    const query = `window=${window.replaceAll('.000', '')}&resolution=exact&accumulate=true`;
    const answer = await fetch(`${serverUrl}/model/allocation/compute?${query}`);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    const { data } = (await answer.json()) as { data: readonly Record<string, CountedRow>[] };
    const faults = isFaulty ? this.#faults : undefined;
    const sampling: Sampling = {
      fromMs,
      untilMs,
      gapMs: ({ node }) => intervalMs + HOUSEKEEPING_MS + (faults?.lackMs(node) ?? 0),
      outages: faults?.outages ?? [],
    };
    return compared(new Map(Object.entries(data[0] ?? {})), expectedRows(plan, sampling));
  }

  async stop(): Promise<void> {
    await this.agent.stop();
    await this.cluster.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }
}
