/** Defines `remit webhooks`: manages webhook endpoints and their deliveries. */
import { pinnedApiVersion } from '../client/src/pinned-api-version.ts';
import type {
  Webhook,
  WebhookCreateParams,
  WebhookListParams,
  WebhookRotateSecretParams,
  WebhookUpdateParams,
} from '../client/src/remit.ts';
import { commonEventTypes, eventTypes } from '../shared/domain/events/event.ts';
import { apiVersions } from '../shared/domain/versions/versions.ts';
import { endpointTypes } from '../shared/domain/webhooks/destination.ts';
import { parseFilter } from '../shared/domain/webhooks/filter-text.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec, ParsedOptions } from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { metadataOption, metadataUpdateOptions, readMetadata, readMetadataUpdate } from './metadata.ts';
import {
  type Columns,
  deleteCommand,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readFields,
  readList,
  readWriteOptions,
  resourceResult,
  updateCommand,
} from './resources.ts';
import { deliveriesCommand, recoverCommand, redeliverCommand, testCommand } from './webhook-deliveries.ts';

/** Each `--filter` is one condition. */
const filterOption = {
  filter: {
    value: 'CONDITION',
    about:
      'Send only events that match, for example "data.amount > 100000", "data.currency in BTN, INR", "data.metadata.shop = Paro" or "data.number starts with INV-". Up to five.',
    repeatable: true,
  },
} satisfies Record<string, OptionSpec>;

const columns: Columns<Webhook> = {
  WEBHOOK: ({ id }) => id,
  STATUS: ({ status }) => status,
  'SENDS TO': ({ url, target }) => url ?? target ?? '',
  EVENTS: ({ events }) => events.join(','),
  DESCRIPTION: ({ description }) => description ?? '',
};

const urlOption: OptionSpec = {
  value: 'URL',
  about: 'URL that receives the events. It must be https, or http in test mode.',
};
const targetOption: OptionSpec = {
  value: 'ARN',
  about: 'Target in AWS that gets the events, instead of a URL: one that the service is deployed with.',
};
const eventsOption: OptionSpec = {
  value: 'A,B',
  about: `Event types, separated by commas: ${eventTypes.join(', ')}. "*" selects the first ${commonEventTypes.length} of them.`,
};
const apiVersionOption = {
  value: 'VERSION',
  about: `Version of the API in which events are sent: ${apiVersions.join(' or ')}.`,
} satisfies OptionSpec;
const descriptionOption: OptionSpec = { value: 'TEXT', about: 'Description of the endpoint.' };
const secretNote = 'The secret is shown only once. Store it in a safe place.';

const list = listCommand(
  { about: 'List webhook endpoints, newest first.', examples: ['npx remit webhooks list'] },
  pageOptions,
  columns,
  (remit, query: WebhookListParams) => remit.webhooks.list(query),
);

const createOptions: Readonly<Record<string, OptionSpec>> = {
  url: urlOption,
  type: { value: 'TYPE', about: `Type of the endpoint: ${endpointTypes.join(', ')}. Default: url.` },
  target: targetOption,
  events: { ...eventsOption, required: true },
  description: descriptionOption,
  'api-version': { ...apiVersionOption, about: `${apiVersionOption.about} Default: ${pinnedApiVersion}.` },
};

const create: CliCommand = {
  about: 'Create an endpoint. Its signing secret is shown only once.',
  details: 'A target in AWS needs no secret: the role of the service sends the events.',
  options: { ...createOptions, ...filterOption, ...metadataOption, ...idempotencyOption },
  examples: [
    'npx remit webhooks create --url https://shop.example/webhooks --events "*"',
    'npx remit webhooks create --type sqs --target arn:aws:sqs:eu-west-1:123456789012:events --events all',
  ],
  run: async (options) => {
    const fields = readBody<WebhookCreateParams>(options, createOptions);
    const body = { ...fields, ...readMetadata(options) };
    const { remit } = await connectApi();
    const webhook = await remit.webhooks.create(body, readWriteOptions(options));
    return webhook.secret === null ? resourceResult(webhook) : resourceResult(webhook, secretNote);
  },
};

const get = getCommand('Show an endpoint.', 'WEBHOOK', 'npx remit webhooks get wh_…', (remit, id) =>
  remit.webhooks.retrieve(id),
);

const changeOptions: Readonly<Record<string, OptionSpec>> = {
  url: urlOption,
  target: targetOption,
  events: eventsOption,
  description: descriptionOption,
  status: { value: 'STATUS', about: 'Status of the endpoint: enabled or disabled.' },
  'api-version': apiVersionOption,
};
const updateOptions = {
  ...changeOptions,
  ...filterOption,
  'no-filters': { about: 'Remove all filters.' },
  ...metadataUpdateOptions,
};

const update = updateCommand(
  {
    about: 'Change, enable or disable an endpoint.',
    examples: [
      'npx remit webhooks update wh_… --status disabled',
      'npx remit webhooks update wh_… --events invoice.paid,refund.processed',
    ],
  },
  'WEBHOOK',
  updateOptions,
  (options) => ({
    ...readBody<WebhookUpdateParams>(options, changeOptions),
    ...readMetadataUpdate(options),
  }),
  (remit, id, body, options) => remit.webhooks.update(id, body, options),
);

const deletion = deleteCommand(
  {
    about: 'Delete an endpoint. It receives no more events.',
    examples: ['npx remit webhooks delete wh_…', 'npx remit webhooks delete wh_… --yes'],
  },
  'WEBHOOK',
  (id, where) => `This deletes the webhook endpoint ${id} in ${where}. It receives no more events.`,
  (remit, id, options) => remit.webhooks.delete(id, options),
);

const rotateOptions: Readonly<Record<string, OptionSpec>> = {
  'overlap-hours': {
    value: 'N',
    about:
      'Hours during which events are also signed with the old secret. Default: 24. 0 ends it immediately.',
    integer: true,
  },
};

const rotateSecret: CliCommand = {
  about: 'Create a new signing secret for an endpoint. It is shown only once.',
  operands: ['WEBHOOK'],
  options: { ...rotateOptions, ...idempotencyOption, ...yesOption },
  examples: ['npx remit webhooks rotate-secret wh_… --overlap-hours 1'],
  run: async (options) => {
    const body = readFields<WebhookRotateSecretParams>(options, rotateOptions);
    const { remit, where } = await connectApi();
    const id = options.required('WEBHOOK');
    if (body.overlapHours === 0)
      await confirmChange(
        options,
        () => `The present secret of the endpoint ${id} in ${where} signs no more events, from now on.`,
      );
    const webhook = await remit.webhooks.rotateSecret(id, body, readWriteOptions(options));
    return resourceResult(webhook, secretNote);
  },
};

export const webhookCommands: CommandGroup = {
  about: 'Manage webhook endpoints and their deliveries.',
  details: apiHelp,
  commands: withProfileOption({
    list,
    create,
    get,
    update,
    delete: deletion,
    'rotate-secret': rotateSecret,
    test: testCommand,
    deliveries: deliveriesCommand,
    redeliver: redeliverCommand,
    recover: recoverCommand,
  }),
};

/** Returns the given fields. The API needs the event types and the filters as arrays. */
function readBody<Body>(options: ParsedOptions, specs: Readonly<Record<string, OptionSpec>>): Body {
  const events = readList(options, 'events');
  const filters = options.flag('no-filters') ? [] : options.all('filter').map(parseFilter);
  const isFiltered = filters.length > 0 || options.flag('no-filters');
  return { ...readFields<Body>(options, specs), ...(events && { events }), ...(isFiltered && { filters }) };
}
