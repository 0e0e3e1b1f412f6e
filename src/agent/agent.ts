/**
 * The agent: objects of the API and usage of kubelets as samples, which go to a receiver.
 *
 *     API server ─▶ objects ──┐
 *                             ├─▶ outbox ─▶ queue (disk) ─▶ sender ─▶ receiver
 *     kubelets   ─▶ pages ────┘
 */
import { Kubelets, type KubeletFigures } from './kubelets/kubelets.ts';
import type { KubeletNode } from './kubelets/node-pages.ts';
import type { KubeletAccess } from './kubelets/page-client.ts';
import { ObjectRounds } from './object-rounds.ts';
import type { ObjectFacts, ObjectFigures } from './objects/object-facts.ts';
import type { BatchQueue, QueueFigures } from './sending/batch-queue.ts';
import { Outbox } from './sending/outbox.ts';
import type { ReceiverClient, WriteVersion } from './sending/receiver-client.ts';
import { Sender, type SenderFigures } from './sending/sender.ts';

export interface AgentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface AgentOptions {
  readonly facts: ObjectFacts;
  /** Absent: kubelets are not read. */
  readonly kubelets:
    | {
        readonly access: () => Promise<KubeletAccess>;
        readonly dcgmPort: number | undefined;
      }
    | undefined;
  /** Whether facts are sent, or only tell which kubelets there are. */
  readonly isTellingObjects: boolean;
  readonly intervalMs: number;
  readonly queue: BatchQueue;
  readonly client: ReceiverClient;
  readonly version: WriteVersion | 'auto';
  /** Put into all series. */
  readonly labels: Readonly<Record<string, string>>;
  readonly log: AgentLog;
}

export interface AgentFigures {
  /** All kinds of objects were listed. */
  readonly isComplete: boolean;
  readonly objects: ObjectFigures;
  readonly kubelets: KubeletFigures;
  readonly queue: QueueFigures;
  readonly sender: SenderFigures;
  readonly takenSamples: number;
}

export interface RunningAgent {
  figures(): AgentFigures;
  /** Ends reading, and stores or sends what was read: within the time, if there is no folder for it. */
  close(graceMs: number): Promise<void>;
}

const WAIT_MS = 5000;
const NO_KUBELETS: KubeletFigures = { kubelets: 0, unreadNodes: 0, pagesRead: 0, pagesFailed: 0 };

export function startAgent(options: AgentOptions): RunningAgent {
  const { facts, queue, client, version, log, intervalMs } = options;
  const outbox = new Outbox(queue, options.labels, Math.min(WAIT_MS, intervalMs / 4));
  const sender = new Sender({ queue, client, version, log });
  const rounds = new ObjectRounds({
    facts,
    intervalMs,
    log,
    take: options.isTellingObjects ? (samples) => outbox.take(samples) : undefined,
  });
  const kubelets =
    options.kubelets &&
    new Kubelets({
      ...options.kubelets,
      nodes: (): readonly KubeletNode[] => facts.nodes(),
      intervalMs,
      log,
      take: (samples) => outbox.take(samples),
    });
  return {
    figures: () => ({
      isComplete: facts.isComplete,
      objects: facts.figures(),
      kubelets: kubelets?.figures() ?? NO_KUBELETS,
      queue: queue.figures(),
      sender: sender.figures(),
      takenSamples: outbox.takenSamples,
    }),
    async close(graceMs) {
      await Promise.all([rounds.close(), kubelets?.close()]);
      await outbox.flush();
      await sender.close(graceMs);
      await queue.close();
    },
  };
}
