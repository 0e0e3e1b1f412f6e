/** Ids of machines as clients of Kubecost show them. */

/**
 * `spec.providerID` of nodes without the account and place: `aws:///us-east-2a/i-0fea4fd46592d050b` is
 * `i-0fea4fd46592d050b`, and `gce://project/zone/name` is `name`. Others are shown as they are, as
 * OpenCost does (core/pkg/util/…, ParseID).
 */
export function shortProviderId(id: string): string {
  return /^(?:aws|gce):\/\/[^/]*\/[^/]*\/([^/]+)/.exec(id)?.[1] ?? id;
}

/** Rows are found by the whole id, and by the short one that they show. */
export function providerIdTexts(cell: string): readonly string[] {
  const short = shortProviderId(cell);
  return short === cell ? [cell] : [cell, short];
}
