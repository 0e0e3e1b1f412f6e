/**
 * Reads the kubelets of all nodes, each at its own time of the interval: aligned, so that samples have
 * equal distances, and spread, so that neither they nor we have peaks.
 */
import type { Sample } from '../series.ts';
import { NodePages, type KubeletNode, type PageNews } from './node-pages.ts';
import { PageClient, PageRefused, type KubeletAccess } from './page-client.ts';

export interface KubeletLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface KubeletOptions {
  /** The nodes at the time. */
  readonly nodes: () => readonly KubeletNode[];
  readonly access: () => Promise<KubeletAccess>;
  readonly intervalMs: number;
  /** For a whole page; absent: 10 s, and a quarter of the interval at most. */
  readonly timeoutMs?: number;
  readonly dcgmPort?: number | undefined;
  readonly log: KubeletLog;
  /** Takes the samples of a page; the next is read once it is done. */
  readonly take: (samples: readonly Sample[]) => Promise<void>;
}

export interface KubeletFigures {
  /** Kubelets that are read. */
  kubelets: number;
  /** Nodes of which a page could not be read the last time. */
  unreadNodes: number;
  pagesRead: number;
  pagesFailed: number;
}

const LOOK_MS = 1000;
const PAGE_TIMEOUT_MS_MAX = 10_000;

export class Kubelets {
  readonly #options: KubeletOptions;
  readonly #client: PageClient;
  readonly #nodes = new Map<string, FollowedNode>();
  readonly #timer: NodeJS.Timeout;
  #pagesRead = 0;
  #pagesFailed = 0;

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { access, intervalMs, timeoutMs } = options;
    // All pages of a node fit an interval, even where none is answered.
    const limitMs = timeoutMs ?? Math.min(PAGE_TIMEOUT_MS_MAX, intervalMs / 4);
    this.#client = new PageClient(access, limitMs);
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  figures(): KubeletFigures {
    const unread = [...this.#nodes.values()].filter((node) => node.isUnread);
    return {
      kubelets: this.#nodes.size,
      unreadNodes: unread.length,
      pagesRead: this.#pagesRead,
      pagesFailed: this.#pagesFailed,
    };
  }

  /** Reads that are under way are given up. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#nodes.values()].map((node) => node.end()));
    this.#client.close();
  }

  /** Follows nodes that came, and those that have another address. */
  #look(): void {
    const left = new Map(this.#nodes);
    for (const node of this.#options.nodes()) {
      const known = left.get(node.name);
      left.delete(node.name);
      if (known?.isAt(node) === true) continue;
      void known?.end();
      this.#nodes.set(node.name, this.#follow(node));
    }
    for (const [name, node] of left) {
      void node.end();
      this.#nodes.delete(name);
    }
  }

  #follow(node: KubeletNode): FollowedNode {
    const { log, dcgmPort, intervalMs, take } = this.#options;
    const news = new NodeNews(node.name, log, (isRead) => {
      if (isRead) this.#pagesRead++;
      else this.#pagesFailed++;
    });
    const pages = new NodePages(node, this.#client, news, dcgmPort);
    const read = (signal: AbortSignal): Promise<void> => pages.read(take, signal);
    return new FollowedNode(node, news, intervalMs, read);
  }
}

class FollowedNode {
  readonly #node: KubeletNode;
  readonly #news: NodeNews;
  readonly #intervalMs: number;
  readonly #offsetMs: number;
  readonly #read: (signal: AbortSignal) => Promise<void>;
  readonly #ended = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(
    node: KubeletNode,
    news: NodeNews,
    intervalMs: number,
    read: (signal: AbortSignal) => Promise<void>,
  ) {
    this.#node = node;
    this.#news = news;
    this.#intervalMs = intervalMs;
    this.#offsetMs = offsetOf(node.name, intervalMs);
    this.#read = read;
    this.#wait();
  }

  get isUnread(): boolean {
    return this.#news.isUnread;
  }

  isAt({ addresses, kubeletPort }: KubeletNode): boolean {
    const { addresses: known, kubeletPort: port } = this.#node;
    return kubeletPort === port && addresses.join() === known.join();
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#ended.abort(new Error('the node is no longer read'));
    await this.#reading;
  }

  #wait(): void {
    if (this.#ended.signal.aborted) return;
    const nowMs = Date.now();
    // A timer may be early: a moment that was read is not read again.
    const fromMs = Math.max(nowMs, this.#dueMs);
    const sinceMs = (fromMs - this.#offsetMs) % this.#intervalMs;
    this.#dueMs = fromMs - sinceMs + this.#intervalMs;
    this.#timer = setTimeout(() => {
      this.#reading = this.#read(this.#ended.signal).then(
        () => this.#wait(),
        (error: unknown) => {
          this.#news.failed('samples', error);
          this.#wait();
        },
      );
    }, this.#dueMs - nowMs);
  }
}

/** The node's own moment of the interval, the same in each run: FNV-1a. */
export function offsetOf(name: string, intervalMs: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % intervalMs;
}

/** More reasons of one page are parts of an answer that differ each time. */
const REASONS_MAX = 5;

/** Tells each fault of a node once, and its end. */
class NodeNews implements PageNews {
  readonly #node: string;
  readonly #log: KubeletLog;
  readonly #count: (isRead: boolean) => void;
  /** What was told of each page since it was read last. */
  readonly #faults = new Map<string, Set<string>>();
  #hasMalformed = false;

  constructor(node: string, log: KubeletLog, count: (isRead: boolean) => void) {
    this.#node = node;
    this.#log = log;
    this.#count = count;
  }

  get isUnread(): boolean {
    return this.#faults.size > 0;
  }

  read(page: string, { malformed }: { readonly malformed: number }): void {
    this.#count(true);
    if (malformed > 0 && !this.#hasMalformed) {
      const what = { node: this.#node, page, lines: malformed };
      this.#log.warn(what, `lines of the kubelet of node ${this.#node} are no samples`);
    }
    this.#hasMalformed = malformed > 0;
    if (!this.#faults.delete(page)) return;
    this.#log.info({ node: this.#node, page }, `the kubelet of node ${this.#node} is read again`);
  }

  failed(page: string, reason: unknown): void {
    this.#count(false);
    const words = reason instanceof Error ? reason.message : String(reason);
    const told = this.#faults.get(page) ?? new Set();
    this.#faults.set(page, told);
    if (told.has(words) || told.size === REASONS_MAX) return;
    told.add(words);
    const message = `cannot read ${page} of the kubelet of node ${this.#node}: ${words}`;
    this.#log.warn({ node: this.#node, page }, `${message}${hintOf(reason)}`);
  }

  isAhead(aheadMs: number): void {
    const what = { node: this.#node, seconds: Math.round(Math.abs(aheadMs) / 1000) };
    if (aheadMs === 0) this.#log.info(what, `the clock of node ${this.#node} is right again`);
    else {
      const way = aheadMs > 0 ? 'ahead' : 'behind';
      const message = `the clock of node ${this.#node} is ${what.seconds} s ${way}`;
      this.#log.warn(what, `${message}; times of its samples are corrected`);
    }
  }
}

function hintOf(reason: unknown): string {
  if (reason instanceof PageRefused) {
    const { answered } = reason;
    if (answered === 403) return '; the service account needs the right get on nodes/metrics';
    if (answered === 401) return '; it does not accept the token of the service account';
    return '';
  }
  const code = (Object(reason) as { cause?: { code?: unknown } }).cause?.code;
  const isUntrusted = typeof code === 'string' && /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code);
  if (!isUntrusted) return '';
  return '; name its authority with --kubelet-ca-file, or do not check it with --kubelet-insecure';
}
