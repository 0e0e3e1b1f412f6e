/**
 * Columns of FOCUS 1.0 to 1.3 that are read (https://focus.finops.org/focus-specification/), and the
 * columns of the rows that are made of them. All other columns are ignored.
 */

/**
 * Columns that are read as texts; times too, since few of them are different. FOCUS lets columns of one's
 * own begin with `x_`. Ours are of pushed costs: `x_Domain`, a domain that is kept as it is, and
 * `x_ProviderId`, the id of a resource that lends it no name. `x_SkuDetails` is of Azure before FOCUS 1.1,
 * which has `SkuPriceDetails`: for a scale set they name the virtual machine.
 */
export const SOURCE_TEXTS = [
  'AvailabilityZone',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeDescription',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedUnit',
  'PricingUnit',
  'ProviderName',
  'RegionId',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceProviderName',
  'SkuPriceDetails',
  'SubAccountId',
  'SubAccountName',
  'Tags',
  'xDomain',
  'xProviderId',
  'xSkuDetails',
] as const;

export const SOURCE_NUMBERS = [
  'BilledCost',
  'ConsumedQuantity',
  'ContractedCost',
  'EffectiveCost',
  'ListCost',
  'ListUnitPrice',
  'PricingQuantity',
] as const;

/** The largest number of each column, either sign: so that sums of any number of rows are finite. */
export const NUMBERS_MAX: Readonly<Record<SourceNumber, number>> = {
  BilledCost: 1e15,
  ConsumedQuantity: 1e30,
  ContractedCost: 1e15,
  EffectiveCost: 1e15,
  ListCost: 1e15,
  ListUnitPrice: 1e15,
  PricingQuantity: 1e30,
};

export type SourceText = (typeof SOURCE_TEXTS)[number];
export type SourceNumber = (typeof SOURCE_NUMBERS)[number];
export type SourceName = SourceText | SourceNumber;

/** Mandatory columns, one of each line: 1.3 has new names for some of 1.0, 1.4 lacks the old. */
export const MANDATORY: readonly (readonly SourceName[])[] = [
  ['BilledCost'],
  ['EffectiveCost'],
  ['ListCost'],
  ['ContractedCost'],
  ['BillingAccountId'],
  ['BillingCurrency'],
  ['BillingPeriodStart'],
  ['BillingPeriodEnd'],
  ['ChargePeriodStart'],
  ['ChargePeriodEnd'],
  ['ChargeCategory'],
  ['ServiceCategory'],
  ['ServiceName'],
  ['ServiceProviderName', 'ProviderName'],
];

export const CHARGE_CATEGORIES: readonly string[] = [
  'Usage',
  'Purchase',
  'Tax',
  'Credit',
  'Adjustment',
];

/** Texts of a stored row. The empty text stands for a value that the bill does not have. */
export const BILL_TEXTS = [
  'accountID',
  'accountName',
  'availabilityZone',
  'category',
  'chargeCategory',
  'costSource',
  'description',
  'domain',
  'invoiceEntityID',
  'invoiceEntityName',
  'provider',
  'providerID',
  'regionID',
  'resourceName',
  'resourceType',
  'service',
  'tags',
  'usageUnit',
] as const;

/** Numbers of a stored row: Unix ms, USD, USD a unit, units. */
export const BILL_NUMBERS = [
  'startMs',
  'endMs',
  'billedCost',
  'contractedCost',
  'effectiveCost',
  'listCost',
  'listUnitPrice',
  'usageQuantity',
] as const;

export type BillText = (typeof BILL_TEXTS)[number];
export type BillNumber = (typeof BILL_NUMBERS)[number];
