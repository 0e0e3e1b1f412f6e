/**
 * Servers that have rows and pieces: the one of the URL, or those of a cluster of it.
 *
 *                       one server         a cluster
 *   prorata_pieces      MergeTree          Distributed over prorata_pieces_shard of each server
 *   <kind>_rows         MergeTree          Distributed over <kind>_rows_shard of each server
 *
 * A set lies whole on one shard, by its day, and wherever it lies it is found: each question goes to all shards.
 * So shards may be added, and old sets stay where they are. The manifest is on the server of the URL
 * alone, or, replicated, on all servers.
 */
import { isLoopback, Unavailable } from '../../query/index.ts';
import { ClickHouse, literal, quoted, type ClickHouseOptions, type Settings } from './client.ts';
import { mayPass } from './refusal.ts';

export interface Cluster {
  /** As `<remote_servers>` of the server names it. */
  readonly name: string;
  /** Whether Keeper or ZooKeeper keeps the tables of all replicas alike. */
  readonly isReplicated: boolean;
  /** `http://host:8123` of each replica of each shard; absent: hosts as the server knows them, at its own port. */
  readonly origins?: readonly (readonly string[])[];
}

export interface ShardsOptions extends ClickHouseOptions {
  readonly cluster?: Cluster | undefined;
}

interface Host {
  readonly shard: number;
  readonly host: string;
}

const SUFFIX = '_shard';
const REPLICAS_MIN = 2;
const SILENCE_MS = 60_000;
/** Since when quorums may overlap, so that no server can tell whether it has all that was confirmed. */
const OVERLAPPING_SINCE = 20;
const SKIPPING_SINCE = 20;

export class Shards {
  readonly #server: ClickHouse;
  readonly #options: ShardsOptions;
  /** Replicas of each shard. */
  #shards: readonly (readonly ClickHouse[])[];

  constructor(server: ClickHouse, options: ShardsOptions) {
    this.#server = server;
    this.#options = options;
    this.#shards = [[server]];
  }

  get cluster(): Cluster | undefined {
    return this.#options.cluster;
  }

  get isReplicated(): boolean {
    return this.cluster?.isReplicated === true;
  }

  /** Each server, as it is told. */
  get origins(): string[] {
    return this.#shards.flat().map(({ origin }) => origin);
  }

  /**
   * Finds them.
   * @param major of the server's version
   * @throws {Unavailable} where the server knows no such cluster, or not enough replicas of it
   */
  async open(major: number): Promise<void> {
    const { cluster } = this;
    if (cluster === undefined) return;
    const origins = cluster.origins ?? (await this.#listed(cluster.name));
    this.#check(cluster, origins);
    this.#shards = origins.map((replicas) =>
      replicas.map((origin) => new ClickHouse({ ...this.#options, origin })),
    );
    this.#server.use(this.#settings(cluster, major), this.origins);
  }

  async #listed(name: string): Promise<string[][]> {
    const sql = `SELECT toUInt32(shard_num) AS shard, host_name AS host FROM system.clusters
      WHERE cluster = ${literal(name)} ORDER BY shard_num, replica_num`;
    const hosts = await this.#server.rows<Host>('look at the cluster', sql);
    const { protocol, port } = new URL(this.#server.origin);
    const suffix = port === '' ? '' : `:${port}`;
    const shards = new Map<number, string[]>();
    for (const { shard, host } of hosts) {
      const named = host.includes(':') ? `[${host}]` : host;
      shards.set(shard, [...(shards.get(shard) ?? []), `${protocol}//${named}${suffix}`]);
    }
    if (shards.size > 0) return [...shards.values()];
    throw new Unavailable(`${this.#server.origin} knows no cluster ${name}`, {
      hint: 'name one of <remote_servers>, as SELECT cluster FROM system.clusters tells them',
    });
  }

  #check(cluster: Cluster, origins: readonly (readonly string[])[]): void {
    const [first = 0, ...others] = origins.map(({ length }) => length);
    const areEven = first >= REPLICAS_MIN && others.every((count) => count === first);
    if (cluster.isReplicated && !areEven) {
      const counts = [first, ...others].join(', ');
      throw new Unavailable(
        `the shards of the cluster ${cluster.name} have so many replicas: ${counts}; replicated=true needs two or more, as many of each`,
        { hint: 'add replicas, or leave out replicated=true' },
      );
    }
    if (this.#options.password === '') return;
    const open = origins.flat().find((origin) => {
      const { protocol, hostname } = new URL(origin);
      return protocol === 'http:' && !isLoopback(hostname);
    });
    if (open === undefined) return;
    throw new Unavailable(`the password would go unencrypted to ${open}`, {
      hint: 'add secure=true to the URL, and the port of HTTPS',
    });
  }

  /** A server that gives up sooner than we do can say which of the others was silent. */
  #settings({ isReplicated }: Cluster, major: number): Settings {
    const { silenceMs = SILENCE_MS } = this.#options;
    return {
      // An insert ends when its rows are on their shard.
      insert_distributed_sync: 1,
      // Rows of a shard that is away would be missing, and the rest be taken for all.
      skip_unavailable_shards: 0,
      ...(major >= SKIPPING_SINCE ? { optimize_skip_unused_shards: 0 } : {}),
      ...(isReplicated
        ? {
            // Rows are on all replicas before they count: a question may come to any.
            insert_quorum: this.#shards[0]?.length ?? 0,
            insert_quorum_timeout: Math.ceil(silenceMs * 0.75),
            ...(major >= OVERLAPPING_SINCE ? { insert_quorum_parallel: 0 } : {}),
          }
        : {}),
    };
  }

  /**
   * The end of a question for the manifest: a server that does not have all that was confirmed refuses it. Of tables
   * whose partitions are dropped 18.16 would refuse all questions for ever.
   */
  get newest(): string {
    return this.isReplicated ? ' SETTINGS select_sequential_consistency = 1' : '';
  }

  /** The table that has the rows of the one that is asked. */
  local(table: string): string {
    return this.cluster === undefined ? table : table + SUFFIX;
  }

  /** How the table that is asked hands on to those of the shards. @param key a number, by which a row's shard is found */
  distributed(table: string, key: string): string {
    const { name = '' } = this.cluster ?? {};
    const [database, local] = [this.#server.database, this.local(table)].map(quoted);
    return `Distributed(${quoted(name)}, ${database}, ${local}, ${key})`;
  }

  /**
   * The engine of a table, of which replicas are alike where the store is replicated.
   * @param isOfAll all servers are replicas of one table, instead of those of a shard
   */
  engine(table: string, engine: string, isOfAll: boolean = false): string {
    if (!this.isReplicated) return engine;
    const place = [isOfAll ? 'all' : '{shard}', this.#server.database, table].map((part) =>
      part.replace(/[/'\\]/g, '_'),
    );
    const replica = isOfAll ? '{shard}-{replica}' : '{replica}';
    const given = [`'/clickhouse/tables/${place.join('/')}'`, `'${replica}'`];
    const [, name = '', own] = /^(\w+)(?:\((.*)\))?$/.exec(engine) ?? [];
    return `Replicated${name}(${[...given, ...(own === undefined ? [] : [own])].join(', ')})`;
  }

  /**
   * Does what each server needs at which the store can be asked: the one of the URL, and of replicas all that are
   * not away.
   * @throws {Unavailable}
   */
  async onAsked(work: (server: ClickHouse) => Promise<void>): Promise<void> {
    await work(this.#server);
    if (!this.isReplicated) return;
    for (const server of this.#shards.flat()) {
      await work(server).catch((error: unknown) => {
        if (!mayPass(error)) throw error;
      });
    }
  }

  /**
   * Does what each server needs. Of replicas some may be away, as long as one of their shard is not.
   * @throws {Unavailable}
   */
  async onEach(work: (server: ClickHouse) => Promise<void>): Promise<void> {
    await settled(
      this.#shards.map(async (replicas) => {
        const failures: unknown[] = [];
        for (const server of replicas) {
          try {
            await work(server);
          } catch (error) {
            if (!this.isReplicated || !mayPass(error)) throw error;
            failures.push(error);
          }
        }
        if (failures.length === replicas.length) throw failures[0];
      }),
    );
  }

  /** Does what replicas tell each other, so that one of each shard is enough. @throws {Unavailable} */
  async onShards<Result>(work: (server: ClickHouse) => Promise<Result>): Promise<Result[]> {
    if (!this.isReplicated) return await settled(this.#shards.flat().map(work));
    return await settled(this.#shards.map((replicas) => firstOf(replicas, work)));
  }
}

/** Ends when all have ended. */
async function settled<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}

async function firstOf<Result>(
  replicas: readonly ClickHouse[],
  work: (server: ClickHouse) => Promise<Result>,
): Promise<Result> {
  for (let i = 0; ; i++) {
    const server = replicas[i];
    if (server === undefined) throw new Error('BUG: a shard without replicas');
    try {
      return await work(server);
    } catch (error) {
      if (i + 1 >= replicas.length || !mayPass(error)) throw error;
    }
  }
}
