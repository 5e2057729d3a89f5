/**
 * Starts the test files that take longest before all others. On a new machine, jest knows only the sizes of files. A small file
 * that takes minutes would start last, and one worker would wait for it.
 */
import Sequencer from '@jest/test-sequencer';

const longest = [
  'flows/reminder-morning',
  'flows/schedule-mornings',
  'flows/random-checkouts-large',
  'flows/erase-large',
  'flows/malformed-kinds',
  'flows/audit-operations',
  'flows/command-line-api',
  'flows/erase-crash-points',
  'integration/store/index/folding',
  'flows/providers-command',
  'flows/payment-crash-points',
  'flows/relay-groups',
  'infra/calls-are-granted',
  'api/payments/secrets',
  'flows/provider-refunds',
  'dashboard/every-page',
  'api/docs',
  'infra/alarms',
  'client/retries',
  'flows/command-line',
  'flows/payment-page',
  'flows/test-clock',
  'flows/far-due-dates',
  'flows/webhook-duplicates',
  'flows/account-settings',
  'api/units',
  'contract/every-route',
  'flows/reconciliation',
  'flows/webhook-retries',
  'flows/returned-refunds',
  'integration/store/index/many-volumes',
];
/** The position in `longest`, or a later one. */
const rankOf = ({ path }) => {
  const rank = longest.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? longest.length : rank;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
