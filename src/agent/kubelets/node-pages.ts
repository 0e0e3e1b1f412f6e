/**
 * The pages of one node, each read on its own: what one does not answer, another may.
 *
 *   /metrics/resource  CPU and memory of containers (kubernetes, pkg/kubelet/metrics/collectors)
 *   /metrics/cadvisor  traffic of pods and the root disk, in a page a hundred times as long; CPU and
 *                      memory only where there is no other page, so that nothing is there twice
 *   :PORT/metrics      GPUs, by NVIDIA's DCGM exporter
 */
import { encodeLabels, FACTS, USAGE, usageReads, type Selection } from '../../metrics/index.ts';
import type { LabelBytes, Sample } from '../series.ts';
import { skewOf } from './clock-skew.ts';
import { PageRefused, type PageAddress, type PageClient } from './page-client.ts';
import { PageReader, type ReadPage } from './page-reader.ts';

/** A node whose kubelet is read. */
export interface KubeletNode {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly kubeletPort: number;
}

/** Hears of each page: `reason` is undefined where it was read. */
export interface PageNews {
  read(page: string, result: ReadPage): void;
  failed(page: string, reason: unknown): void;
  isAhead(aheadMs: number): void;
}

const CONTAINERS: readonly Selection[] = [USAGE.cpu, USAGE.ram];
const PODS: readonly Selection[] = [USAGE.transmit, USAGE.receive, FACTS.nodeDisk.selection];
const RESOURCE_ERRORS = ['scrape_error', 'resource_scrape_error'];

export class NodePages {
  readonly #client: PageClient;
  readonly #news: PageNews;
  readonly #resource: NodePage;
  readonly #cadvisor: NodePage;
  /** For a kubelet without the other page. */
  readonly #newWhole: () => NodePage;
  #whole: NodePage | undefined;
  readonly #devices: NodePage | undefined;
  #aheadMs = 0;

  /** @param dcgmPort of the exporter of GPUs on the node's address */
  constructor(node: KubeletNode, client: PageClient, news: PageNews, dcgmPort: number | undefined) {
    this.#client = client;
    this.#news = news;
    const port = node.kubeletPort;
    this.#resource = new NodePage(node, { port, path: '/metrics/resource' }, CONTAINERS, RESOURCE_ERRORS); // prettier-ignore
    this.#cadvisor = new NodePage(node, { port, path: '/metrics/cadvisor' }, PODS);
    this.#newWhole = () =>
      new NodePage(node, { port, path: '/metrics/cadvisor' }, [...CONTAINERS, ...PODS]);
    if (dcgmPort !== undefined) {
      this.#devices = new NodePage(node, { port: dcgmPort, path: '/metrics' }, usageReads('gpu'));
    }
  }

  /** Reads each page once. @param take gets the samples of a page */
  async read(
    take: (samples: readonly Sample[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const first = await this.#readPage(this.#resource, take, signal);
    // Before Kubernetes 1.18 there is no such page.
    const isWhole = first instanceof PageRefused && first.answered === 404;
    if (isWhole) this.#whole ??= this.#newWhole();
    await this.#readPage((isWhole && this.#whole) || this.#cadvisor, take, signal);
    if (this.#devices !== undefined) await this.#readPage(this.#devices, take, signal);
  }

  /** @returns the error where the page was not read */
  async #readPage(
    page: NodePage,
    take: (samples: readonly Sample[]) => Promise<void>,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (signal.aborted) return undefined;
    const { reader, address } = page;
    const readMs = Date.now();
    const up = (value: number): Sample => ({ labels: page.up, timeMs: readMs, value });
    reader.begin();
    let result: ReadPage;
    try {
      const { dateMs } = await this.#client.read(address, (chunk) => reader.push(chunk), signal);
      // Exporters tell no times of samples.
      if (address.isKubelet) this.#setClock(skewOf(dateMs, readMs, Date.now(), this.#aheadMs));
      result = reader.end(readMs, this.#aheadMs);
    } catch (error) {
      reader.abandon();
      if (signal.aborted) return undefined;
      this.#news.failed(page.name, error);
      await take([up(0)]);
      return error;
    }
    this.#news.read(page.name, result);
    await take([...result.samples, up(1)]);
    return undefined;
  }

  #setClock(aheadMs: number): void {
    if (aheadMs === this.#aheadMs) return;
    this.#aheadMs = aheadMs;
    this.#news.isAhead(aheadMs);
  }
}

/** One page of a node. */
class NodePage {
  /** Such as `/metrics/cadvisor`, `:9400/metrics`. */
  readonly name: string;
  readonly address: PageAddress;
  readonly reader: PageReader;
  /** Labels of the series that tells whether the page was read. */
  readonly up: LabelBytes;

  constructor(
    node: KubeletNode,
    { port, path }: { readonly port: number; readonly path: string },
    selections: readonly Selection[],
    errors: readonly string[] = [],
  ) {
    const isKubelet = port === node.kubeletPort;
    const [host = node.name] = node.addresses;
    this.name = isKubelet ? path : `:${port}${path}`;
    this.address = { isKubelet, host, port, path, names: [...node.addresses, node.name] };
    const target = {
      instance: `${host.includes(':') ? `[${host}]` : host}:${port}`,
      job: isKubelet ? 'kubelet' : 'dcgm-exporter',
      ...(isKubelet ? { metrics_path: path } : {}),
      node: node.name,
    };
    this.reader = new PageReader(selections, target, errors);
    this.up = encodeLabels({ ...target, __name__: 'up' });
  }
}
