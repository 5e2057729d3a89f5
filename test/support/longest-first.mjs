/**
 * Starts the test files that take longest before all others. On a new machine, jest knows only the sizes of files. A small file
 * that takes minutes would start last, and one worker would wait for it.
 */
import Sequencer from '@jest/test-sequencer';

const longest = [
  'dashboard/every-page',
  'api/docs',
  'flows/payment-page',
  'flows/command-line',
  'flows/far-due-dates',
  'infra/alarms',
  'api/units',
  'flows/test-clock',
  'flows/account-settings',
  'infra/calls-are-granted',
  'contract/every-route',
  'flows/reconciliation',
  'flows/webhook-retries',
  'flows/returned-refunds',
  'flows/webhook-outbox-watchdog',
  'api/payments/secrets',
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
