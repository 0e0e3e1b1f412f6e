/** What an asset's number is made of, who uses it, and the request that tells it. */
import { useAnswer } from '../answers.ts';
import { priceWords } from '../costs/price-words.ts';
import { bytes, money, moment, number, percent } from '../format.ts';
import { Request } from '../parts/panel.tsx';
import { Facts, MadeTable, PanelFrame } from '../parts/panel-frame.tsx';
import { Loaded } from '../parts/states.tsx';
import type { ComponentChildren, VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href, state } from '../state.ts';
import {
  clusterOf,
  nameOf,
  placeOf,
  titleOf,
  typeWord,
  type Asset,
  type AssetSet,
} from './asset.ts';
import { holderOf, mountsOf, type PodVolumes } from './disk-rows.ts';
import { assetLines } from './made-of.ts';
import { nodeRows, partWords, type ChargedByNode } from './node-rows.ts';
import { allocatedPath, mountsPath, onePath } from './questions.ts';

/** @param filter that means the asset */
export function AssetPanel({ filter }: { filter: string }): VNode {
  const path = onePath(state.value, filter);
  const shown = useAnswer<readonly AssetSet[]>(path);
  return (
    <PanelFrame title={titleOf(filter)}>
      <Loaded shown={shown} lines={8}>
        {({ data }) => {
          const [asset] = Object.values(data[0] ?? {});
          if (asset === undefined) {
            return <p class="hint">There was nothing to pay for it in this window.</p>;
          }
          return (
            <>
              <MadeTable lines={assetLines(asset)} total={asset.totalCost} />
              {asset.type === 'Node' && nameOf(asset) !== '' && <NodeUse node={asset} />}
              <Facts facts={factsOf(asset)} />
              {asset.type === 'Disk' && <DiskUse disk={asset} />}
              <Request path={path} />
            </>
          );
        }}
      </Loaded>
    </PanelFrame>
  );
}

type Fact = readonly [what: string, says: ComponentChildren];

function factsOf(asset: Asset): readonly Fact[] {
  const { start, end, priceSource, nodeType = '', preemptible, properties } = asset;
  const { cpuCores = 0, ramBytes = 0, gpuCount = 0, discount } = asset;
  const gpus = gpuCount > 0 ? `, ${number(gpuCount, 1)} GPU` : '';
  const facts: readonly Fact[] = [
    ['what', `${typeWord(asset.type)}${preemptible === 1 ? ', spot' : ''}`],
    ['cluster', clusterOf(asset)],
    ['type', nodeType],
    ['size', cpuCores > 0 ? `${number(cpuCores, 1)} CPU, ${bytes(ramBytes)}${gpus}` : sizeOf(asset)],
    ['place', placeOf(asset)],
    ['prices from', priceSource === undefined ? '' : priceWords(priceSource)],
    ['discount', discount === undefined || discount === null || discount === 0 ? '' : percent(discount)],
    ['from', moment(Date.parse(start), zone())],
    ['to', moment(Date.parse(end), zone())],
    ['address', asset.ip ?? ''],
    ['id of the provider', properties['providerIDFull'] ?? ''],
    ['account', properties['account'] ?? properties['project'] ?? ''],
  ];
  return facts.filter(([, says]) => says !== '');
} // prettier-ignore

function sizeOf({ bytes: size = 0 }: Asset): string {
  return size > 0 ? bytes(size) : '';
}

interface ChargedSets {
  readonly sets: readonly { readonly allocations: ChargedByNode }[];
}

/** What its cost is for, and the way to the pods on it. */
function NodeUse({ node }: { node: Asset }): VNode {
  const shown = useAnswer<ChargedSets>(allocatedPath(state.value, node));
  const path = [
    { field: 'cluster', value: clusterOf(node) },
    { field: 'node', value: nameOf(node) },
  ];
  return (
    <>
      <h3>What it is for</h3>
      <Loaded shown={shown} lines={1}>
        {({ data }) => {
          const [row] = nodeRows([node], data.sets[0]?.allocations ?? {});
          return <p>{row?.parts !== undefined && partWords(row.parts)}.</p>;
        }}
      </Loaded>
      <p>
        <a
          href={href({ view: 'allocations', path, by: ['pod'], filter: '', open: '', more: '', find: '' })}
        >
          The pods on it, in Allocations
        </a>
      </p>
    </>
  );
} // prettier-ignore

/** The claim that holds a volume, and the pods that mount it. */
function DiskUse({ disk }: { disk: Asset }): VNode {
  const holder = holderOf(disk);
  if (holder === 'node') {
    return <p>A disk of the node itself: its cost is shared by what runs there.</p>;
  }
  if (holder === 'none') {
    return (
      <p>
        <span class="warn">No claim holds it.</span> Whether it is needed only its owner knows: keep
        a snapshot, then delete it.
      </p>
    );
  }
  return <Mounts disk={disk} />;
}

function Mounts({ disk }: { disk: Asset }): VNode {
  const { claimName = '', claimNamespace = '' } = disk;
  const shown = useAnswer<readonly Readonly<Record<string, PodVolumes>>[]>(
    mountsPath(state.value, disk),
  );
  const path = [
    { field: 'cluster', value: clusterOf(disk) },
    { field: 'namespace', value: claimNamespace },
  ];
  const to = (pod?: string): string =>
    href({
      view: 'allocations',
      path: pod === undefined ? path : [...path, { field: 'pod', value: pod }],
      by: [pod === undefined ? 'controller' : 'container'],
      filter: '',
      open: '',
      more: '',
      find: '',
    });
  return (
    <>
      <h3>Held by the claim</h3>
      <p>
        <a href={to()}>{claimNamespace}</a>/{claimName}
      </p>
      <h3>Mounted by</h3>
      <Loaded shown={shown} lines={2}>
        {({ data }) => {
          const mounts = mountsOf(disk, data[0] ?? {});
          if (mounts.every(({ pod }) => pod === ''))
            return <p class="hint">No pod mounted it in this window.</p>;
          return (
            <ul class="mounts">
              {mounts.map(({ pod, usd }) => (
                <li key={pod}>
                  {pod === '' ? 'by no pod, for a time:' : <a href={to(pod)}>{pod}</a>} {money(usd)}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </>
  );
}
