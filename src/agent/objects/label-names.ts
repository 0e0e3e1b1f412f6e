/**
 * Labels and annotations of objects as labels of series, named as kube-state-metrics names them:
 * https://github.com/kubernetes/kube-state-metrics/blob/main/internal/store/utils.go
 */

/** Longer values are documents, such as what `kubectl apply` leaves: nobody groups costs by them. */
const LONGEST_CHARACTERS = 256;

/**
 * `label_app_kubernetes_io_name` of `app.kubernetes.io/name`; names that become the same are told apart
 * by `_conflict1`, `_conflict2` in order of the names that they had.
 */
export function labelsFrom(
  prefix: 'label' | 'annotation',
  texts: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const named = Object.keys(texts ?? {})
    .toSorted()
    .map((name) => [`${prefix}_${snakeCase(sanitized(name))}`, texts?.[name] ?? ''] as const)
    .filter(([, value]) => value.length <= LONGEST_CHARACTERS);
  const total = new Map<string, number>();
  for (const [name] of named) total.set(name, (total.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  const labels: Record<string, string> = {};
  for (const [name, value] of named) {
    const index = (seen.get(name) ?? 0) + 1;
    seen.set(name, index);
    labels[(total.get(name) ?? 0) > 1 ? `${name}_conflict${index}` : name] = value;
  }
  return labels;
}

export function sanitized(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_');
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
