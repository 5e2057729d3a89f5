/** Defines the commands of `remit webhooks` that send events to an endpoint and show its deliveries. */
import type { Delivery, DeliveryListParams, WebhookRecoverParams } from '../client/src/remit.ts';
import { connectApi } from './api-connection.ts';
import type { CliCommand, OptionSpec } from './command.ts';
import {
  type Columns,
  cursorPageOptions,
  idempotencyOption,
  listCommand,
  readFields,
  readWriteOptions,
  resourceResult,
} from './resources.ts';

export const testCommand: CliCommand = {
  about: 'Send a webhook.test event now, and show the response of the endpoint.',
  details: 'The exit code is 1 if the endpoint does not accept the event.',
  operands: ['WEBHOOK'],
  options: idempotencyOption,
  examples: ['npx remit webhooks test wh_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const result = await remit.webhooks.test(options.required('WEBHOOK'), readWriteOptions(options));
    return { ...resourceResult(result), failed: !result.succeeded };
  },
};

const deliveryColumns: Columns<Delivery> = {
  DELIVERY: ({ id }) => id,
  STATUS: ({ status }) => status,
  EVENT: ({ eventId }) => eventId,
  TYPE: ({ eventType }) => eventType,
  ATTEMPTS: ({ attempts }) => String(attempts.at(-1)?.number ?? 0),
  'LAST RESULT': ({ attempts }) => outcomeOf(attempts.at(-1)),
  'NEXT ATTEMPT': ({ nextAttemptAt }) => nextAttemptAt ?? '',
};

/** Returns the status of the response, or the error with its cause. */
function outcomeOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (!attempt) return '';
  const { status, error, cause } = attempt;
  return status === null ? `${error}${cause ? ` (${cause})` : ''}` : String(status);
}

const deliveryOptions: Readonly<Record<string, OptionSpec>> = {
  status: {
    value: 'STATUS',
    about: 'Only deliveries with this status: pending, succeeded, failed or skipped.',
  },
  before: { value: 'DELIVERY', about: 'Only deliveries older than this one.' },
  ...cursorPageOptions,
};

export const deliveriesCommand = listCommand(
  {
    about: 'List the deliveries to an endpoint with their attempts, newest first.',
    examples: ['npx remit webhooks deliveries wh_… --status failed'],
  },
  deliveryOptions,
  deliveryColumns,
  (remit, query: DeliveryListParams, id) => remit.webhooks.listDeliveries(id, query),
  'WEBHOOK',
);

export const redeliverCommand: CliCommand = {
  about: 'Try a delivery again now, and show the result.',
  details: 'The exit code is 1 if the attempt fails.',
  operands: ['WEBHOOK', 'DELIVERY'],
  options: idempotencyOption,
  examples: ['npx remit webhooks redeliver wh_… dlv_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const delivery = await remit.webhooks.redeliver(
      options.required('WEBHOOK'),
      options.required('DELIVERY'),
      readWriteOptions(options),
    );
    return { ...resourceResult(delivery), failed: delivery.status !== 'succeeded' };
  },
};

const recoverOptions: Readonly<Record<string, OptionSpec>> = {
  since: { value: 'ISO', about: 'Start of the period, for example 2099-01-31T12:00:00Z.', required: true },
};

export const recoverCommand: CliCommand = {
  about: 'Send again all events that an endpoint missed since a given time.',
  details: 'The service sends the events in the background, after the command ends.',
  operands: ['WEBHOOK'],
  options: { ...recoverOptions, ...idempotencyOption },
  examples: ['npx remit webhooks recover wh_… --since 2099-01-31T12:00:00Z'],
  run: async (options) => {
    const body = readFields<WebhookRecoverParams>(options, recoverOptions);
    const { remit } = await connectApi();
    return resourceResult(
      await remit.webhooks.recover(options.required('WEBHOOK'), body, readWriteOptions(options)),
    );
  },
};
