/**
 * Objects and their series. Where kube-state-metrics tests the same, the facts are those of its tests
 * (internal/store, 2.20): what it shows with an empty value has no label here, as stores have none.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FOLLOWED } from '../../../src/agent/objects/kinds.ts';
import { PackedSeries } from '../../../src/agent/objects/packed-series.ts';
import type { Kind } from '../../../src/cluster/index.ts';
import { FACTS, GAUGES } from '../../../src/metrics/index.ts';
import { listed, type Written } from '../../support/fleets/api-objects.ts';
import { textsIn } from '../../support/references/sample-texts.ts';

function seriesOf(kind: Kind, object: Written): string[] {
  const of = FOLLOWED.find((one) => one.kind === kind);
  assert.ok(of, `${kind} is followed`);
  const packed = new PackedSeries(of.seriesOf(listed(object)));
  return textsIn(packed);
}

/** Text of an exposition with labels in order, without those of no value. */
function canonical(line: string): string {
  const [, metric = '', inside = '', value = ''] = /^(\w+)\{(.*)\} (\S+)$/.exec(line.trim()) ?? [];
  const labels = [...inside.matchAll(/(\w+)="([^"]*)"/g)]
    .filter(([, , text]) => text !== '')
    .map(([pair]) => pair)
    .toSorted();
  return `${metric}{${labels.join(',')}} ${Number(value)}`;
}

const time = (seconds: number): string => new Date(seconds * 1000).toISOString();
const pod1 = { namespace: 'ns1', name: 'pod1', uid: 'uid1' };
const POD1 = 'namespace="ns1",pod="pod1",uid="uid1"';
const RS_NAME = { kind: 'ReplicaSet', name: 'rs-name', controller: true };
const QUOTA = 'namespace="testNS",resourcequota="quotaTest"';

/** Name, kind, object, metrics that are compared, what they show. */
// prettier-ignore
const CASES: readonly (readonly [name: string, kind: Kind, object: Written, metrics: RegExp, expected: readonly string[]])[] = [
  ['a pod without an owner', 'Pod', {
    metadata: { ...pod1, creationTimestamp: time(1_500_000_000) },
    spec: { nodeName: 'node1', priorityClassName: 'system-node-critical', hostNetwork: true },
    status: { hostIP: '1.1.1.1', podIP: '1.2.3.4', startTime: time(1_501_569_018) },
  }, /info|owner|start|completion/, [
    `kube_pod_info{created_by_kind="",created_by_name="",host_ip="1.1.1.1",${POD1},node="node1",pod_ip="1.2.3.4",priority_class="system-node-critical",host_network="true"} 1`,
    `kube_pod_start_time{${POD1}} 1.501569018e+09`,
    `kube_pod_owner{${POD1},owner_is_controller="",owner_kind="",owner_name=""} 1`,
  ]],
  ['a pod of a replica set, whose containers ended', 'Pod', {
    metadata: { ...pod1, ownerReferences: [RS_NAME] },
    spec: { nodeName: 'node2', containers: [{ name: 'container2_1' }, { name: 'container2_2' }, { name: 'container2_3' }] },
    status: { hostIP: '1.1.1.1', podIP: '2.3.4.5', containerStatuses: [
      { name: 'container2_1', state: { terminated: { finishedAt: time(1_501_777_018), startedAt: time(1_501_777_018) } } },
      { name: 'container2_2', state: { terminated: { finishedAt: time(1_501_888_018), startedAt: time(1_501_888_018) } } },
      { name: 'container2_3', state: { terminated: { finishedAt: time(1_501_666_018), startedAt: time(1_501_666_018) } } },
    ] },
  }, /pod_info|owner|completion|state_started/, [
    `kube_pod_info{created_by_kind="ReplicaSet",created_by_name="rs-name",host_ip="1.1.1.1",${POD1},node="node2",pod_ip="2.3.4.5",priority_class="",host_network="false"} 1`,
    `kube_pod_completion_time{${POD1}} 1.501888018e+09`,
    `kube_pod_owner{${POD1},owner_is_controller="true",owner_kind="ReplicaSet",owner_name="rs-name"} 1`,
    `kube_pod_container_state_started{${POD1},container="container2_1"} 1.501777018e+09`,
    `kube_pod_container_state_started{${POD1},container="container2_2"} 1.501888018e+09`,
    `kube_pod_container_state_started{${POD1},container="container2_3"} 1.501666018e+09`,
  ]],
  ['states of containers', 'Pod', {
    metadata: pod1,
    spec: { containers: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'not yet' }] },
    status: { containerStatuses: [
      { name: 'a', state: { running: { startedAt: time(1_501_777_018) } } },
      { name: 'b', state: { terminated: { finishedAt: null } } },
      { name: 'c', state: { waiting: {} } },
    ] },
  }, /running|started|container_info|completion/, [
    `kube_pod_container_state_started{${POD1},container="a"} 1501777018`,
    `kube_pod_container_status_running{${POD1},container="a"} 1`,
    `kube_pod_container_status_running{${POD1},container="b"} 0`,
    `kube_pod_container_status_running{${POD1},container="c"} 0`,
    `kube_pod_container_info{${POD1},container="a"} 1`,
    `kube_pod_container_info{${POD1},container="b"} 1`,
    `kube_pod_container_info{${POD1},container="c"} 1`,
  ]],
  ['requests, of which only resources that cost are read', 'Pod', {
    metadata: pod1,
    spec: { nodeName: 'node1', containers: [
      { name: 'con1', resources: { requests: { cpu: '200m', memory: '100M', 'ephemeral-storage': '300M', storage: '400M', 'nvidia.com/gpu': '1' } } },
      { name: 'con2', resources: { requests: { cpu: '300m', memory: '200M' } } },
    ] },
  }, /requests/, [
    `kube_pod_container_resource_requests{container="con1",${POD1},node="node1",resource="cpu",unit="core"} 0.2`,
    `kube_pod_container_resource_requests{container="con1",${POD1},node="node1",resource="memory",unit="byte"} 1e+08`,
    `kube_pod_container_resource_requests{container="con1",${POD1},node="node1",resource="nvidia_com_gpu",unit="integer"} 1`,
    `kube_pod_container_resource_requests{container="con2",${POD1},node="node1",resource="cpu",unit="core"} 0.3`,
    `kube_pod_container_resource_requests{container="con2",${POD1},node="node1",resource="memory",unit="byte"} 2e+08`,
  ]],
  ['a phase', 'Pod', { metadata: pod1, status: { phase: 'Running' } }, /phase/, [
    `kube_pod_status_phase{${POD1},phase="Failed"} 0`,
    `kube_pod_status_phase{${POD1},phase="Succeeded"} 0`,
  ]],
  ['no phase', 'Pod', { metadata: pod1, status: {} }, /phase/, []],
  ['a pod that is being deleted, and runs', 'Pod', {
    metadata: { ...pod1, deletionTimestamp: time(1_800_000_000) },
    spec: { containers: [{ name: 'a' }, { name: 'b' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 0 } } }, { name: 'b', state: { running: {} } }] },
  }, /phase|deletion/, [
    `kube_pod_deletion_timestamp{${POD1}} 1.8e+09`,
    `kube_pod_status_phase{${POD1},phase="Failed"} 0`,
    `kube_pod_status_phase{${POD1},phase="Succeeded"} 0`,
  ]],
  ['one whose containers all ended: it is over, whatever its phase', 'Pod', {
    metadata: { ...pod1, deletionTimestamp: time(1_800_000_000) },
    spec: { containers: [{ name: 'a' }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 143, finishedAt: time(1_799_999_990) } } }] },
  }, /phase|completion/, [
    `kube_pod_completion_time{${POD1}} 1799999990`,
    `kube_pod_status_phase{${POD1},phase="Failed"} 1`,
    `kube_pod_status_phase{${POD1},phase="Succeeded"} 0`,
  ]],
  ['requests of a pod as a whole, its overhead, and an init container', 'Pod', {
    metadata: pod1,
    spec: {
      nodeName: 'node1', overhead: { cpu: '250m', memory: '120Mi' }, resources: { requests: { cpu: '4', memory: '1Gi' } },
      containers: [{ name: 'app' }], initContainers: [{ name: 'setup', resources: { requests: { cpu: 8 } } }],
    },
  }, /request|overhead/, [
    `kube_pod_overhead_cpu_cores{${POD1}} 0.25`,
    `kube_pod_overhead_memory_bytes{${POD1}} 125829120`,
    `kube_pod_spec_resource_requests{${POD1},node="node1",resource="cpu",unit="core"} 4`,
    `kube_pod_spec_resource_requests{${POD1},node="node1",resource="memory",unit="byte"} 1073741824`,
    `kube_pod_init_container_resource_requests{${POD1},container="setup",node="node1",resource="cpu",unit="core"} 8`,
  ]],
  ['a sidecar, which is a container, and an init container, which is none', 'Pod', {
    metadata: pod1,
    spec: { containers: [{ name: 'app', resources: { requests: { cpu: 1 } } }], initContainers: [
      { name: 'proxy', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } },
      { name: 'setup', resources: { requests: { cpu: 8 } } },
    ] },
    status: { initContainerStatuses: [{ name: 'proxy', state: { running: {} } }, { name: 'setup', state: { terminated: { exitCode: 0, finishedAt: time(1_800_000_000) } } }] },
  }, /requests|running|completion/, [
    `kube_pod_container_resource_requests{container="app",${POD1},resource="cpu",unit="core"} 1`,
    `kube_pod_container_resource_requests{container="proxy",${POD1},resource="cpu",unit="core"} 0.1`,
    `kube_pod_container_status_running{container="proxy",${POD1}} 1`,
    `kube_pod_init_container_resource_requests{${POD1},container="setup",resource="cpu",unit="core"} 8`,
  ]],
  ['a resize that is granted in part', 'Pod', {
    metadata: pod1,
    spec: { containers: [{ name: 'a', resources: { requests: { cpu: '2', memory: '1Gi' } } }] },
    status: { containerStatuses: [{ name: 'a', state: {}, allocatedResources: { cpu: '1', memory: '2Gi' }, resources: { requests: { cpu: '1', memory: '2Gi' } } }] },
  }, /requests/, [
    `kube_pod_container_resource_requests{container="a",${POD1},resource="cpu",unit="core"} 2`,
    `kube_pod_container_resource_requests{container="a",${POD1},resource="memory",unit="byte"} 2147483648`,
  ]],
  ['a resize that no node can grant', 'Pod', {
    metadata: pod1,
    spec: { containers: [{ name: 'a', resources: { requests: { cpu: '1000' } } }] },
    status: { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }], containerStatuses: [{ name: 'a', state: {}, allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '1' } } }] },
  }, /requests/, [`kube_pod_container_resource_requests{container="a",${POD1},resource="cpu",unit="core"} 1`]],
  ['claims', 'Pod', {
    metadata: pod1,
    spec: { volumes: [{ name: 'myvol', persistentVolumeClaim: { claimName: 'claim1' } }, { name: 'own', ephemeral: { volumeClaimTemplate: {} } }, { name: 'not-pvc-vol', emptyDir: {} }] },
  }, /claims/, [
    `kube_pod_spec_volumes_persistentvolumeclaims_info{${POD1},persistentvolumeclaim="claim1",volume="myvol"} 1`,
    `kube_pod_spec_volumes_persistentvolumeclaims_info{${POD1},persistentvolumeclaim="pod1-own",volume="own"} 1`,
  ]],
  ['labels and annotations', 'Pod', {
    metadata: { ...pod1, labels: { app: 'example1', 'app.kubernetes.io/Name': 'x' }, annotations: { 'a.b/c-d': '1', applied: '{'.repeat(300) } },
  }, /labels|annotations/, [
    `kube_pod_labels{${POD1},label_app="example1",label_app_kubernetes_io_name="x"} 1`,
    `kube_pod_annotations{${POD1},annotation_a_b_c_d="1"} 1`,
  ]],
  ['a node', 'Node', {
    metadata: { name: '127.0.0.1', creationTimestamp: time(1_500_000_000), labels: { 'node-role.kubernetes.io/master': '' } },
    spec: { providerID: 'provider://i-randomidentifier', podCIDR: '172.24.10.0/24', unschedulable: true },
    status: {
      nodeInfo: { kernelVersion: 'kernel', kubeletVersion: 'kubelet', kubeProxyVersion: 'kubeproxy', osImage: 'osimage', containerRuntimeVersion: 'rkt', systemUUID: '6a934e21-5207-4a84-baea-3a952d926c80' },
      addresses: [{ type: 'Hostname', address: 'a' }, { type: 'InternalIP', address: '1.2.3.4' }],
      capacity: { cpu: '4.3', memory: '2G', pods: '1000', storage: '3G', 'ephemeral-storage': '4G', 'nvidia.com/gpu': '4' },
      allocatable: { cpu: '3' },
    },
  }, /./, [
    'kube_node_created{node="127.0.0.1"} 1.5e+09',
    'kube_node_info{container_runtime_version="rkt",kernel_version="kernel",kubelet_version="kubelet",node="127.0.0.1",os_image="osimage",pod_cidr="172.24.10.0/24",provider_id="provider://i-randomidentifier",internal_ip="1.2.3.4",system_uuid="6a934e21-5207-4a84-baea-3a952d926c80"} 1',
    'kube_node_labels{node="127.0.0.1"} 1',
    'kube_node_status_capacity{node="127.0.0.1",resource="cpu",unit="core"} 4.3',
    'kube_node_status_capacity{node="127.0.0.1",resource="memory",unit="byte"} 2e+09',
    'kube_node_status_capacity{node="127.0.0.1",resource="nvidia_com_gpu",unit="integer"} 4',
  ]],
  ['a volume', 'PersistentVolume', {
    metadata: { name: 'test-pv' },
    spec: { capacity: { storage: '5Gi' }, storageClassName: 'gp3', csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } },
  }, /./, [
    'kube_persistentvolume_info{persistentvolume="test-pv",storageclass="gp3",csi_driver="ebs.csi.aws.com",csi_volume_handle="vol-1"} 1',
    'kube_persistentvolume_capacity_bytes{persistentvolume="test-pv"} 5.36870912e+09',
  ]],
  ['disks from before CSI', 'PersistentVolume', {
    metadata: { name: 'p' },
    spec: { gcePersistentDisk: { pdName: 'name' }, awsElasticBlockStore: { volumeID: 'aws://eu-west-1c/vol-012d34d567890123b' }, azureDisk: { diskName: 'azure_disk_1' } },
  }, /./, [
    'kube_persistentvolume_info{persistentvolume="p",gce_persistent_disk_name="name",ebs_volume_id="aws://eu-west-1c/vol-012d34d567890123b",azure_disk_name="azure_disk_1"} 1',
    'kube_persistentvolume_capacity_bytes{persistentvolume="p"} 0',
  ]],
  ['a claim', 'PersistentVolumeClaim', {
    metadata: { namespace: 'default', name: 'mysql-data', creationTimestamp: time(1_500_000_000), annotations: { 'app.k8s.io/owner': '@foo' } },
    spec: { storageClassName: 'rbd', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: 'pvc-mysql-data', volumeMode: 'Filesystem' },
    status: { phase: 'Bound' },
  }, /./, [
    'kube_persistentvolumeclaim_info{namespace="default",persistentvolumeclaim="mysql-data",storageclass="rbd",volumename="pvc-mysql-data",volumemode="Filesystem"} 1',
    'kube_persistentvolumeclaim_resource_requests_storage_bytes{namespace="default",persistentvolumeclaim="mysql-data"} 1.073741824e+09',
  ]],
  ['a claim with the class of before', 'PersistentVolumeClaim', {
    metadata: { namespace: 'default', name: 'a', annotations: { 'volume.beta.kubernetes.io/storage-class': 'manual' } }, spec: {},
  }, /./, ['kube_persistentvolumeclaim_info{namespace="default",persistentvolumeclaim="a",storageclass="manual"} 1']],
  ['a replica set of a deployment', 'ReplicaSet', {
    metadata: { namespace: 'ns1', name: 'rs1', ownerReferences: [{ kind: 'Deployment', name: 'dp-name', controller: true }] },
  }, /./, ['kube_replicaset_owner{namespace="ns1",owner_is_controller="true",owner_kind="Deployment",owner_name="dp-name",replicaset="rs1"} 1']],
  ['a replica set of its own', 'ReplicaSet', { metadata: { namespace: 'ns2', name: 'rs2' } }, /./, ['kube_replicaset_owner{namespace="ns2",owner_is_controller="",owner_kind="",owner_name="",replicaset="rs2"} 1']],
  ['a replica set that its deployment keeps', 'ReplicaSet', { metadata: { namespace: 'ns2', name: 'rs2' }, spec: { replicas: 0 }, status: { replicas: 0 } }, /./, []],
  ['a pod with claims of devices', 'Pod', {
    metadata: pod1,
    spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'own' }, { name: 'more', resourceClaimTemplateName: 't' }, { name: 'not yet', resourceClaimTemplateName: 't' }] },
    status: { resourceClaimStatuses: [{ name: 'more', resourceClaimName: 'pod1-more-x7k' }] },
  }, /resourceclaim/, [
    `kube_pod_resourceclaim_info{${POD1},name="gpu",resourceclaim_name="own"} 1`,
    `kube_pod_resourceclaim_info{${POD1},name="more",resourceclaim_name="pod1-more-x7k"} 1`,
    `kube_pod_resourceclaim_info{${POD1},name="not yet"} 1`,
  ]],
  ['a claim of devices', 'ResourceClaim', {
    metadata: { namespace: 'ns-1', name: 'claim-1' },
    status: { allocation: { devices: { results: [{ request: 'req-1', driver: 'driver-1', pool: 'pool-1', device: 'device-1' }] } } },
  }, /./, ['kube_resourceclaim_allocation_device_info{driver="driver-1",device="device-1",namespace="ns-1",pool="pool-1",request="req-1",resourceclaim="claim-1"} 1']],
  ['devices of a node', 'ResourceSlice', {
    metadata: { name: 'slice-1' },
    spec: { driver: 'driver-1', nodeName: 'node-1', pool: { name: 'pool-1' }, devices: [{ name: 'device-1' }, { name: 'device-2' }] },
  }, /./, [
    'kube_resourceslice_device_info{device_name="device-1",driver="driver-1",node_name="node-1",pool_name="pool-1",resourceslice="slice-1"} 1',
    'kube_resourceslice_device_info{device_name="device-2",driver="driver-1",node_name="node-1",pool_name="pool-1",resourceslice="slice-1"} 1',
  ]],
  ['a job of a cron job', 'Job', {
    metadata: { namespace: 'ns1', name: 'RunningJob1', ownerReferences: [{ kind: 'CronJob', name: 'cronjob-name', controller: true }] },
  }, /./, ['kube_job_owner{namespace="ns1",job_name="RunningJob1",owner_kind="CronJob",owner_name="cronjob-name",owner_is_controller="true"} 1']],
  ['a namespace', 'Namespace', {
    metadata: { name: 'nsActiveTest', labels: { app: 'example1', l1: 'label1' }, annotations: { owner: 'team a' } },
  }, /./, [
    'kube_namespace_labels{label_app="example1",label_l1="label1",namespace="nsActiveTest"} 1',
    'kube_namespace_annotations{annotation_owner="team a",namespace="nsActiveTest"} 1',
  ]],
  ['a quota', 'ResourceQuota', {
    metadata: { namespace: 'testNS', name: 'quotaTest' },
    status: { hard: { cpu: '4.3', memory: '2.1G', 'services.nodeports': '2', 'requests.nvidia.com/gpu': '4' }, used: { cpu: '2.1', memory: '500M' } },
  }, /./, [
    `kube_resourcequota{${QUOTA},resource="cpu",type="hard"} 4.3`,
    `kube_resourcequota{${QUOTA},resource="cpu",type="used"} 2.1`,
    `kube_resourcequota{${QUOTA},resource="memory",type="hard"} 2.1e+09`,
    `kube_resourcequota{${QUOTA},resource="memory",type="used"} 5e+08`,
    `kube_resourcequota{${QUOTA},resource="services.nodeports",type="hard"} 2`,
    `kube_resourcequota{${QUOTA},resource="requests.nvidia.com/gpu",type="hard"} 4`,
  ]],
  ['a service with a load balancer', 'Service', {
    metadata: { namespace: 'default', name: 'test-service5', uid: 'uid5' },
    spec: { type: 'LoadBalancer', selector: { 'app.kubernetes.io/partOf': 'example5' } },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.8', hostname: 'www.example.com' }] } },
  }, /./, [
    'kube_service_status_load_balancer_ingress{hostname="www.example.com",ip="1.2.3.8",namespace="default",service="test-service5",uid="uid5"} 1',
    'service_selector_labels{label_app_kubernetes_io_part_of="example5",namespace="default",service="test-service5",uid="uid5"} 1',
  ]],
  ['a service without a selector, which would select all', 'Service', { metadata: { namespace: 'default', name: 'a' }, spec: {} }, /./, []],
];

describe('series of an object', () => {
  for (const [name, kind, object, metrics, expected] of CASES) {
    test(`${kind}: ${name}`, () => {
      const shown = seriesOf(kind, object).filter((text) => metrics.test(text.split('{')[0] ?? ''));
      assert.deepEqual(shown.map(canonical).toSorted(), expected.map(canonical).toSorted());
    });
  }

  test('every fact and gauge that kube-state-metrics tells is told by some object', () => {
    const told = new Set(
      CASES.flatMap(([, kind, object]) => seriesOf(kind, object)).map((text) => text.split('{')[0]),
    );
    const read = [...Object.values(FACTS), ...Object.values(GAUGES)].map(
      ({ selection }) => selection.metric,
    );
    const missing = read.filter((metric) => /^(kube_|service_)/.test(metric) && !told.has(metric));
    assert.deepEqual(new Set(missing), new Set(NOT_TOLD));
  });
});

/**
 * Selectors tell which pods are behind a service; requests of containers hold sidecars and resizes already; and
 * the agent does not schedule.
 */
const NOT_TOLD = [
  'kube_pod_init_container_info', 'kube_pod_init_container_status_running',
  'kube_pod_container_status_resource_requests', 'kube_pod_resource_request',
  'kube_endpoint_address', 'kube_endpointslice_labels', 'kube_endpointslice_endpoints',
]; // prettier-ignore
