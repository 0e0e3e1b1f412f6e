/** Windows that a list is made of. */
import { choicesOf, type Choice } from './select.tsx';

/** Others come by the address. */
export const WINDOWS: readonly Choice[] = choicesOf({
  today: 'today',
  yesterday: 'yesterday',
  '2d': 'the last 2 days',
  '7d': 'the last 7 days',
  '14d': 'the last 14 days',
  '30d': 'the last 30 days',
  lastweek: 'last week',
  month: 'this month',
  lastmonth: 'last month',
  '90d': 'the last 90 days',
});
