/** The demo store's metrics of services: one before each deployment, two with a load balancer. */
import { hashText, hexText } from './hash.ts';
import type { SeriesMaker } from './pod-metrics.ts';
import { kubeState, priceExporter, type DemoFleet } from './series.ts';
import type { Workload } from './fleet.ts';

const ALWAYS = { startMs: -Infinity, endMs: Infinity };

/** What a cloud asks for a network load balancer. */
const BALANCER_USD_PER_HOUR = 0.02646;

/** `cluster/namespace/service` */
const BALANCED: ReadonlySet<string> = new Set([
  'production/web/storefront',
  'production/payments/checkout',
]);

function* servicesOf({ placed }: DemoFleet): Generator<Workload, void> {
  for (const { workload } of placed) if (workload.kind === 'Deployment') yield workload;
}

const selectors: SeriesMaker = function* (fleet) {
  for (const { cluster, namespace, name } of servicesOf(fleet)) {
    const labels = { namespace, service: name, label_app: name };
    yield { ...ALWAYS, scraped: priceExporter(fleet, cluster), labels, value: 1 };
  }
};

/** Services with a load balancer, and its host name. */
function* balancedOf(fleet: DemoFleet): Generator<readonly [Workload, string], void> {
  for (const service of servicesOf(fleet)) {
    const path = `${service.cluster}/${service.namespace}/${service.name}`;
    if (!BALANCED.has(path)) continue;
    const host = hexText(hashText(path, fleet.seed), 32);
    yield [service, `${host}.elb.us-east-1.amazonaws.com`];
  }
}

const balancers: SeriesMaker = function* (fleet) {
  for (const [{ cluster, namespace, name }, host] of balancedOf(fleet)) {
    const labels = { namespace, service_name: name, ingress_ip: host };
    const scraped = priceExporter(fleet, cluster);
    yield { ...ALWAYS, scraped, labels, value: BALANCER_USD_PER_HOUR };
  }
};

const ingresses: SeriesMaker = function* (fleet) {
  for (const [{ cluster, namespace, name }, hostname] of balancedOf(fleet)) {
    const labels = { namespace, service: name, hostname };
    yield { ...ALWAYS, scraped: kubeState(fleet, cluster), labels, value: 1 };
  }
};

export const SERVICE_METRICS: Readonly<Record<string, SeriesMaker>> = {
  service_selector_labels: selectors,
  kubecost_load_balancer_cost: balancers,
  kube_service_status_load_balancer_ingress: ingresses,
};
