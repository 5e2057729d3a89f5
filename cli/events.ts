/** Defines `remit events`: lists and shows events. */
import type { EventListParams, RemitEvent } from '../client/src/remit.ts';
import { eventTypes } from '../shared/domain/events/event.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import { csvOptions } from './csv.ts';
import { type Columns, getCommand, listResult, readFields } from './resources.ts';

const columns: Columns<RemitEvent> = {
  EVENT: ({ id }) => id,
  TYPE: ({ type }) => type,
  TIME: ({ timestamp }) => timestamp,
  RESOURCE: ({ data }) => data.id,
};

const listOptions: Readonly<Record<string, OptionSpec>> = {
  type: { value: 'TYPE', about: `Only events of this type: ${eventTypes.join(', ')}.` },
  before: { value: 'EVENT', about: 'Only events older than this one.' },
  after: {
    value: 'EVENT',
    about: 'Only events newer than this one, oldest first. Use "start" for all events.',
  },
  limit: { value: 'N', about: 'Maximum number of results, 1 to 100. Default: 20.', integer: true },
  all: { about: 'Return all pages.' },
  ...csvOptions,
};

const list: CliCommand = {
  about: 'List events of the last 30 days, newest first.',
  options: listOptions,
  examples: ['npx remit events list', 'npx remit events list --type invoice.paid --after start --all --json'],
  run: async (options) => {
    const query = readFields<EventListParams>(options, listOptions);
    const { remit } = await connectApi();
    return listResult(remit.events.list(query), options, columns);
  },
};

const get = getCommand(
  'Show an event, with the resource as it was at that time.',
  'EVENT',
  'npx remit events get evt_…',
  (remit, id) => remit.events.retrieve(id),
);

export const eventCommands: CommandGroup = {
  about: 'List and show events. To see events as they happen, run npx remit listen.',
  details: apiHelp,
  commands: withProfileOption({ list, get }),
};
