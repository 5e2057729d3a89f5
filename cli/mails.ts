/** Defines `remit mails`: lists mails, and allows mails to an address again. */
import type { Mail, MailListParams } from '../client/src/remit.ts';
import { apiHelp, connectApi, withProfileOption } from './api-connection.ts';
import type { CliCommand, CommandGroup, OptionSpec } from './command.ts';
import {
  type Columns,
  cursorPageOptions,
  idempotencyOption,
  listCommand,
  readWriteOptions,
  resourceResult,
} from './resources.ts';

const columns: Columns<Mail> = {
  MAIL: ({ id }) => id,
  STATE: ({ state }) => state,
  REASON: ({ reason }) => reason ?? '',
  KIND: ({ kind }) => kind,
  TO: ({ to }) => to,
  INVOICE: ({ invoiceId }) => invoiceId ?? '',
  ABOUT: ({ about }) => about ?? '',
};

const listOptions: Readonly<Record<string, OptionSpec>> = {
  before: { value: 'MAIL', about: 'Only mails older than this one.' },
  ...cursorPageOptions,
};

const list = listCommand(
  {
    about: 'List mails, newest first, and what came of each.',
    examples: ['npx remit mails list', 'npx remit mails list --all --json'],
  },
  listOptions,
  columns,
  (remit, query: MailListParams) => remit.mails.list(query),
);

const allowAddress: CliCommand = {
  about: 'Allow mails to the address of a mail again.',
  details:
    'After a permanent bounce or a complaint, the account sends nothing more to the address. Use this when the address works again, or its reader asks for it.',
  operands: ['MAIL'],
  options: { ...idempotencyOption },
  examples: ['npx remit mails allow-address mail_…'],
  run: async (options) => {
    const { remit } = await connectApi();
    return resourceResult(
      await remit.mails.allowAddress(options.required('MAIL'), readWriteOptions(options)),
    );
  },
};

export const mailCommands: CommandGroup = {
  about: 'List mails, and allow mails to an address again.',
  details: apiHelp,
  commands: withProfileOption({ list, 'allow-address': allowAddress }),
};
