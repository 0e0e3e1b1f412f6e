/** The demo store's metrics of services: one before each deployment, two with a load balancer. */
import { hashText, hexText } from './hash.ts';
import type { SeriesMaker } from './pod-metrics.ts';
import { priceExporter, type DemoFleet } from './series.ts';
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

const balancers: SeriesMaker = function* (fleet) {
  for (const { cluster, namespace, name } of servicesOf(fleet)) {
    const path = `${cluster}/${namespace}/${name}`;
    if (!BALANCED.has(path)) continue;
    const host = hexText(hashText(path, fleet.seed), 32);
    const ingress_ip = `${host}.elb.us-east-1.amazonaws.com`;
    const labels = { namespace, service_name: name, ingress_ip };
    const scraped = priceExporter(fleet, cluster);
    yield { ...ALWAYS, scraped, labels, value: BALANCER_USD_PER_HOUR };
  }
};

export const SERVICE_METRICS: Readonly<Record<string, SeriesMaker>> = {
  service_selector_labels: selectors,
  kubecost_load_balancer_cost: balancers,
};
