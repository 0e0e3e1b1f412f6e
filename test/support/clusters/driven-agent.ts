/** `prorata agent` over a simulated cluster, both at one time that a test moves. */
import { setImmediate as turn } from 'node:timers/promises';
import { DrivenProcess, type ProcessFigures } from './driven-process.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

export interface DrivenAgentOptions {
  readonly cluster: SimulatedCluster;
  readonly remoteWriteUrl: string;
  /** Such as `30s`. */
  readonly interval: string;
  readonly kubeletCaFile: string;
  /** Timers of the agent are late by up to this, so that more of them run at once; absent: none is. */
  readonly stepMs?: number;
  readonly flags?: readonly string[];
}

const BESIDE_MS = 500;

export class DrivenAgent {
  readonly #cluster: SimulatedCluster;
  readonly #process: DrivenProcess;
  readonly #stepMs: number;

  /** It reads the cluster once this settles. */
  static async start(options: DrivenAgentOptions): Promise<DrivenAgent> {
    const agent = new DrivenAgent(options);
    const startMs = options.cluster.nowMs();
    while (agent.#process.nextMs === Infinity || !agent.said.includes('reads the cluster'))
      await agent.#process.go(startMs);
    return agent;
  }

  private constructor({ cluster, stepMs = 1, flags = [], ...options }: DrivenAgentOptions) {
    this.#cluster = cluster;
    this.#stepMs = stepMs;
    const args = [
      'src/prorata.js',
      'agent',
      '--port=0',
      `--kubeconfig=${cluster.api.kubeconfig}`,
      `--remote-write-url=${options.remoteWriteUrl}`,
      `--interval=${options.interval}`,
      `--kubelet-ca-file=${options.kubeletCaFile}`,
      ...flags,
    ];
    this.#process = new DrivenProcess(args, cluster.nowMs());
  }

  get said(): string {
    return this.#process.said;
  }

  async figures(): Promise<ProcessFigures> {
    return await this.#process.figures();
  }

  /** A kubelet will not answer this call. */
  forget(port: number, localPort: number): void {
    this.#process.forget(port, localPort);
  }

  /** Moves both to that time, from one moment at which either does something to the next. */
  async run(untilMs: number): Promise<void> {
    const [cluster, child] = [this.#cluster, this.#process];
    for (let nowMs = cluster.nowMs(); nowMs < untilMs;) {
      const dueMs = this.#lateMs(child.nextMs);
      nowMs = Math.max(nowMs, Math.min(dueMs, cluster.nextChangeMs(), untilMs));
      if (cluster.nextChangeMs() <= nowMs) {
        // What is changed now reaches the agent at this time.
        await child.set(nowMs);
        cluster.advance(nowMs);
        while (!cluster.hasTold()) await turn();
      } else cluster.advance(nowMs);
      await child.go(nowMs);
    }
  }

  /** Beside whole seconds, at which the cluster changes. */
  #lateMs(dueMs: number): number {
    if (this.#stepMs === 1) return dueMs;
    return Math.ceil((dueMs - BESIDE_MS) / this.#stepMs) * this.#stepMs + BESIDE_MS;
  }

  async stop(): Promise<number | null> {
    return await this.#process.stop();
  }
}
