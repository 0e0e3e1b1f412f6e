/** Series of namespaces, of what limits them, and of their services, as kube-state-metrics tells them. */
import type { ApiObject, QuotaObject, ServiceObject } from './api-objects.ts';
import { labelsFrom } from './label-names.ts';
import type { Series } from './packed-series.ts';
import { exactAmount } from './quantities.ts';

export function namespaceSeries({ metadata }: ApiObject): Series[] {
  const { name: namespace } = metadata;
  const labels = { namespace, ...labelsFrom('label', metadata.labels) };
  const texts = labelsFrom('annotation', metadata.annotations);
  const annotations = { namespace, ...texts };
  const told = [{ metric: 'kube_namespace_labels', labels, value: 1 }];
  if (Object.keys(texts).length === 0) return told;
  return [...told, { metric: 'kube_namespace_annotations', labels: annotations, value: 1 }];
}

export function quotaSeries({ metadata, status }: QuotaObject): Series[] {
  const { namespace, name: resourcequota } = metadata;
  return (['hard', 'used'] as const).flatMap((type) =>
    Object.entries(status?.[type] ?? {}).flatMap(([resource, amount]): Series[] => {
      const value = exactAmount(amount);
      const labels = { namespace, resourcequota, resource, type };
      return value === undefined ? [] : [{ metric: 'kube_resourcequota', labels, value }];
    }),
  );
}

/**
 * Load balancers, and selectors, which only OpenCost's exporter tells: here with labels named as those of
 * pods are, so that both agree.
 */
export function serviceSeries({ metadata, spec, status }: ServiceObject): Series[] {
  const { namespace, name: service, uid } = metadata;
  const selector = labelsFrom('label', spec?.selector);
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [
    ...(Object.keys(selector).length === 0
      ? []
      : [
          {
            metric: 'service_selector_labels',
            labels: { namespace, service, uid, ...selector },
            value: 1,
          },
        ]),
    ...ingress.map(({ ip = '', hostname = '' }) => ({
      metric: 'kube_service_status_load_balancer_ingress',
      labels: { namespace, service, uid, ip, hostname },
      value: 1,
    })),
  ];
}
