/** Defines `remit events`: lists and shows events. */
import type { EventListParams, RemitEvent } from '../client/src/remit.ts';
import { eventTypes } from '../shared/domain/events/event.ts';
import { apiHelp, withProfileOption } from './api-connection.ts';
import type { CommandGroup, OptionSpec } from './command.ts';
import { type Columns, cursorPageOptions, getCommand, listCommand } from './resources.ts';

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
  ...cursorPageOptions,
};

const list = listCommand(
  {
    about: 'List events of the last 30 days, newest first.',
    examples: [
      'npx remit events list',
      'npx remit events list --type invoice.paid --after start --all --json',
    ],
  },
  listOptions,
  columns,
  (remit, query: EventListParams) => remit.events.list(query),
);

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
