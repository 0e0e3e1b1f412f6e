/** Actions on the cluster and their limits: accepted values by flag, variable and file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/settings/config.ts';
import { Fault } from '../../src/query/index.ts';

const off = (): string => '';

test('the controller is off unless a flag, a variable or the file switches it on', () => {
  const loaded = [
    loadConfig(['--cluster-controller=true'], {}, off),
    loadConfig([], { CLUSTER_CONTROLLER_ENABLED: '1' }, off),
    loadConfig(['--config=f'], {}, () => 'clusterController: { enabled: true }'),
    loadConfig(['--cluster-controller=false'], { CLUSTER_CONTROLLER_ENABLED: '1' }, off),
  ];
  const switches = loaded.map(({ config }) => config.isClusterController);
  assert.deepEqual(switches, [true, true, true, false]);
});

test('its limits are read from the file', () => {
  const text = `clusterController:
  leastCpuMillicores: 10
  leastRam: 32Mi
  deniedNamespaces: kube-system, istio-system`;
  const { config } = loadConfig(['--config=f'], {}, () => text);
  assert.equal(config.leastCpuMillicores, 10);
  assert.equal(config.leastRamBytes, 32 * 2 ** 20);
  assert.deepEqual(config.deniedNamespaces, ['kube-system', 'istio-system']);
});

for (const line of [
  'enabled: maybe',
  'leastCpuMillicores: 0',
  'leastCpuMillicores: -5',
  'leastRam: 1',
  'deniedNamespaces: Kube_System',
]) {
  test(`${line} is refused, naming the key`, () => {
    assert.throws(
      () => loadConfig(['--config=f'], {}, () => `clusterController: { ${line} }`),
      (error) => error instanceof Fault && error.message.startsWith('clusterController.'),
    );
  });
}
