/** What a charge is made of: from the list price to what is paid, who is billed, and the request that tells it. */
import { useAnswer } from '../answers.ts';
import { own } from '../costs/own.ts';
import { shownName } from '../costs/fields.ts';
import { moneyExact, number, percent } from '../format.ts';
import { Request } from '../parts/panel.tsx';
import { Facts, MadeTable, PanelFrame } from '../parts/panel-frame.tsx';
import { Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { state } from '../state.ts';
import { stepsTo } from './against-list.ts';
import type { CloudCost, CloudSets, Metric } from './cloud-costs.ts';
import type { ExternalCost, ExternalEntry } from './external-costs.ts';
import { externalRowsPath, onePath } from './questions.ts';
import { cloudQuestion, externalQuestion } from './state.ts';

export function CloudPanel({ name }: { name: string }): VNode {
  const question = cloudQuestion();
  const path = onePath(state.value, question, name);
  const shown = useAnswer<CloudSets>(path);
  return (
    <PanelFrame title={shownName(name)}>
      <Loaded shown={shown} lines={8}>
        {({ data }) => {
          const cost = own(data.sets[0]?.cloudCosts, name);
          if (cost === undefined) return <p class="hint">It was charged nothing in this window.</p>;
          return <Charge cost={cost} metric={question.metric} />;
        }}
      </Loaded>
      <Request path={path} />
    </PanelFrame>
  );
}

const KNOWN: Readonly<Record<string, string>> = {
  service: 'service',
  category: 'category',
  provider: 'provider',
  accountName: 'account',
  accountID: 'number of the account',
  invoiceEntityName: 'payer',
  regionID: 'region',
  availabilityZone: 'zone',
  providerID: 'resource',
};

function Charge({ cost, metric }: { cost: CloudCost; metric: Metric }): VNode {
  const { listCost, netCost, amortizedNetCost } = cost;
  const costs = {
    listCost: listCost.cost,
    netCost: netCost.cost,
    amortizedNetCost: amortizedNetCost.cost,
  };
  const { cost: usd, kubernetesPercent } = cost[metric];
  const known = Object.entries(KNOWN).flatMap(([name, says]) => {
    const value = cost.properties[name];
    return typeof value === 'string' && value !== '' ? [[says, value] as const] : [];
  });
  return (
    <>
      <MadeTable lines={stepsTo(metric, costs)} total={usd} />
      <Facts
        facts={[
          ['in Kubernetes', `${moneyExact(usd * kubernetesPercent)}, ${percent(kubernetesPercent)}`],
          ...known,
        ]}
      />
    </>
  );
} // prettier-ignore

export function ExternalPanel({ name }: { name: string }): VNode {
  const path = externalRowsPath(state.value, externalQuestion());
  const shown = useAnswer<ExternalEntry>(path);
  return (
    <PanelFrame title={shownName(name)}>
      <Loaded shown={shown} lines={8}>
        {({ data }) => {
          const cost = data.customCosts.find(({ aggregate }) => aggregate === name);
          if (cost === undefined) return <p class="hint">It was charged nothing in this window.</p>;
          return <External cost={cost} />;
        }}
      </Loaded>
      <Request path={path} />
    </PanelFrame>
  );
}

function External({ cost }: { cost: ExternalCost }): VNode {
  const { billedCost, listCost, usage_quantity: quantity, usage_unit: unit } = cost;
  const lines =
    billedCost === 0
      ? [{ what: 'At list price: nothing was billed', cost: listCost }]
      : [
          { what: 'At list price', cost: listCost },
          { what: 'Discounts', cost: billedCost - listCost },
        ];
  const facts = [
    ['used', quantity > 0 ? `${number(quantity)} ${unit}` : ''],
    ['account', cost.account_name],
    ['service', cost.cost_source],
    ['domain', cost.domain],
    ['kind of charge', cost.charge_category],
    ['resource', cost.resource_name],
    ['says', cost.description],
  ] as const;
  return (
    <>
      <MadeTable lines={lines.filter((line) => line.cost !== 0)} total={cost.cost} />
      <Facts facts={facts.filter(([, says]) => says !== '')} />
    </>
  );
}
