/** The commands of `remit webhooks` about what an endpoint is sent. */
import type { Delivery, DeliveryListParams, WebhookRecoverParams } from '../client/src/remit.ts';
import { connectApi } from './api-connection.ts';
import type { Command, Option } from './command.ts';
import {
  type Columns,
  fieldsOf,
  listResult,
  resourceResult,
  writeOption,
  writeOptions,
} from './resources.ts';

export const test: Command = {
  about: 'Sends a webhook.test event now, and shows what the endpoint answered.',
  details: 'If that is no success, the exit code is 1.',
  operands: ['WEBHOOK'],
  options: writeOption,
  examples: ['npx remit webhooks test wh_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const answer = await remit.webhooks.test(options.required('WEBHOOK'), writeOptions(options));
    return { ...resourceResult(answer), failed: !answer.succeeded };
  },
};

const deliveryColumns: Columns<Delivery> = {
  DELIVERY: ({ id }) => id,
  STATUS: ({ status }) => status,
  EVENT: ({ eventId }) => eventId,
  TYPE: ({ eventType }) => eventType,
  TRIES: ({ attempts }) => String(attempts.at(-1)?.number ?? 0),
  LAST: ({ attempts }) => String(attempts.at(-1)?.status ?? attempts.at(-1)?.error ?? ''),
  NEXT: ({ nextAttemptAt }) => nextAttemptAt ?? '',
};

const deliveryOptions: Readonly<Record<string, Option>> = {
  status: { value: 'STATUS', about: 'only pending, succeeded, failed or skipped ones' },
  before: { value: 'DELIVERY', about: 'older ones than this' },
  limit: { value: 'N', about: 'how many, 1 to 100; default 20', integer: true },
  all: { about: 'all of them, page after page' },
};

export const deliveries: Command = {
  about: 'Deliveries to an endpoint with their attempts, newest first.',
  operands: ['WEBHOOK'],
  options: deliveryOptions,
  examples: ['npx remit webhooks deliveries wh_… --status failed'],
  run: async (options) => {
    const query = fieldsOf<DeliveryListParams>(options, deliveryOptions);
    const { remit } = await connectApi();
    return listResult(
      remit.webhooks.listDeliveries(options.required('WEBHOOK'), query),
      options,
      deliveryColumns,
    );
  },
};

export const redeliver: Command = {
  about: 'Makes a new attempt at once, and shows the delivery.',
  details: 'If that is no success, the exit code is 1.',
  operands: ['WEBHOOK', 'DELIVERY'],
  options: writeOption,
  examples: ['npx remit webhooks redeliver wh_… dlv_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    const delivery = await remit.webhooks.redeliver(
      options.required('WEBHOOK'),
      options.required('DELIVERY'),
      writeOptions(options),
    );
    return { ...resourceResult(delivery), failed: delivery.status !== 'succeeded' };
  },
};

const recoverOptions: Readonly<Record<string, Option>> = {
  since: { value: 'ISO', about: 'since when, such as 2099-01-31T12:00:00Z', required: true },
};

export const recover: Command = {
  about: 'Sends all again that the endpoint has missed since a time, in the background.',
  operands: ['WEBHOOK'],
  options: { ...recoverOptions, ...writeOption },
  examples: ['npx remit webhooks recover wh_… --since 2099-01-31T12:00:00Z'],
  run: async (options) => {
    const body = fieldsOf<WebhookRecoverParams>(options, recoverOptions);
    const { remit } = await connectApi();
    return resourceResult(
      await remit.webhooks.recover(options.required('WEBHOOK'), body, writeOptions(options)),
    );
  },
};
