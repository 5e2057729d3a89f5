/** `remit events`. */
import type { EventListParams, RemitEvent } from '../client/src/remit.ts';
import { eventTypes } from '../shared/events/event.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import type { Command, Group, Option } from './command.ts';
import { type Columns, fieldsOf, listResult, resourceResult } from './resources.ts';

const columns: Columns<RemitEvent> = {
  EVENT: ({ id }) => id,
  TYPE: ({ type }) => type,
  TIME: ({ timestamp }) => timestamp,
  ABOUT: ({ data }) => data.id,
};

const listOptions: Readonly<Record<string, Option>> = {
  type: { value: 'KIND', about: `only this kind: ${eventTypes.join(', ')}` },
  before: { value: 'EVENT', about: 'older ones than this' },
  after: { value: 'EVENT', about: 'newer ones than this, oldest first; "start" is before all of them' },
  limit: { value: 'N', about: 'how many, 1 to 100; default 20', integer: true },
  all: { about: 'all of them, page after page' },
};

const list: Command = {
  about: 'Events of the last 30 days, newest first.',
  options: listOptions,
  examples: ['npx remit events list', 'npx remit events list --type invoice.paid --after start --all --json'],
  run: async (options) => {
    const query = fieldsOf<EventListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.events.list(query), options, columns);
  },
};

const get: Command = {
  about: 'One event, with the resource as it was then.',
  operands: ['EVENT'],
  examples: ['npx remit events get evt_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(await remit.events.retrieve(options.required('EVENT')));
  },
};

export const events: Group = {
  about: 'What has happened; npx remit listen shows it as it happens.',
  details: apiHelp,
  commands: { list, get },
};
