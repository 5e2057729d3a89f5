/** `remit webhooks`: endpoints that get events, and the deliveries to them. */
import type {
  Webhook,
  WebhookCreateParams,
  WebhookListParams,
  WebhookRotateSecretParams,
  WebhookUpdateParams,
} from '../client/src/remit.ts';
import { commonEventTypes, eventTypes } from '../shared/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import type { Command, Group, Option, Options } from './command.ts';
import {
  type Columns,
  fieldsOf,
  listResult,
  pageOptions,
  requireSome,
  resourceResult,
  wordsOf,
  writeOption,
  writeOptions,
} from './resources.ts';
import { deliveries, recover, redeliver, test } from './webhook-deliveries.ts';

const columns: Columns<Webhook> = {
  WEBHOOK: ({ id }) => id,
  STATUS: ({ status }) => status,
  URL: ({ url }) => url,
  EVENTS: ({ events }) => events.join(','),
  DESCRIPTION: ({ description }) => description ?? '',
};

const urlOption: Option = { value: 'URL', about: 'where events are sent: https, in test mode http, too' };
const eventsOption: Option = {
  value: 'A,B',
  about: `which kinds of ${eventTypes.join(', ')}; or "*" for the first ${commonEventTypes.length} of them`,
};
const descriptionOption: Option = { value: 'TEXT', about: 'what people call it' };
const secretText = 'The secret is shown this once.';

const list: Command = {
  about: 'Webhook endpoints, newest first.',
  options: pageOptions,
  examples: ['npx remit webhooks list'],
  run: async (options) => {
    const query = fieldsOf<WebhookListParams>(options, pageOptions);
    const { remit } = await connectApi();
    return listResult(remit.webhooks.list(query), options, columns);
  },
};

const createOptions: Readonly<Record<string, Option>> = {
  url: { ...urlOption, required: true },
  events: { ...eventsOption, required: true },
  description: descriptionOption,
};

const create: Command = {
  about: 'A new endpoint; its signing secret is shown this once.',
  options: { ...createOptions, ...writeOption },
  examples: ['npx remit webhooks create --url https://shop.example/webhooks --events "*"'],
  run: async (options) => {
    const body = bodyOf<WebhookCreateParams>(options, createOptions);
    const { remit } = await connectApi();
    return resourceResult(await remit.webhooks.create(body, writeOptions(options)), secretText);
  },
};

const get: Command = {
  about: 'One endpoint.',
  operands: ['WEBHOOK'],
  examples: ['npx remit webhooks get wh_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.webhooks.retrieve(options.required('WEBHOOK')));
  },
};

const updateOptions: Readonly<Record<string, Option>> = {
  url: urlOption,
  events: eventsOption,
  description: descriptionOption,
  status: { value: 'STATUS', about: 'enabled or disabled' },
};

const update: Command = {
  about: 'Changes an endpoint, disables or enables it.',
  operands: ['WEBHOOK'],
  options: { ...updateOptions, ...writeOption },
  examples: [
    'npx remit webhooks update wh_… --status disabled',
    'npx remit webhooks update wh_… --events invoice.paid,refund.processed',
  ],
  run: async (options) => {
    const body = bodyOf<WebhookUpdateParams>(options, updateOptions);
    requireSome(body, updateOptions);
    const { remit } = await connectApi();
    return resourceResult(
      await remit.webhooks.update(options.required('WEBHOOK'), body, writeOptions(options)),
    );
  },
};

const deletion: Command = {
  about: 'Deletes an endpoint: nothing is sent to it any more.',
  operands: ['WEBHOOK'],
  options: writeOption,
  examples: ['npx remit webhooks delete wh_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.webhooks.delete(options.required('WEBHOOK'), writeOptions(options)));
  },
};

const rotateOptions: Readonly<Record<string, Option>> = {
  'overlap-hours': {
    value: 'N',
    about: 'how long the old secret signs along; default 24, 0 ends it at once',
    integer: true,
  },
};

const rotateSecret: Command = {
  about: 'A new signing secret, shown this once.',
  operands: ['WEBHOOK'],
  options: { ...rotateOptions, ...writeOption },
  examples: ['npx remit webhooks rotate-secret wh_… --overlap-hours 1'],
  run: async (options) => {
    const body = fieldsOf<WebhookRotateSecretParams>(options, rotateOptions);
    const { remit } = await connectApi();
    const webhook = await remit.webhooks.rotateSecret(
      options.required('WEBHOOK'),
      body,
      writeOptions(options),
    );
    return resourceResult(webhook, secretText);
  },
};

export const webhooks: Group = {
  about: 'Webhook endpoints, and the deliveries to them.',
  details: apiHelp,
  commands: {
    list,
    create,
    get,
    update,
    delete: deletion,
    'rotate-secret': rotateSecret,
    test,
    deliveries,
    redeliver,
    recover,
  },
};

/** The fields that were given, with the kinds of events as the API takes them. */
function bodyOf<Body>(options: Options, specs: Readonly<Record<string, Option>>): Body {
  const events = wordsOf(options, 'events');
  return { ...fieldsOf<Body>(options, specs), ...(events && { events }) };
}
