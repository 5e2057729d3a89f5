/** Defines `remit exports`: makes files with invoices, payments and other records, and saves them. */
import type { Export, ExportCreateParams, ExportListParams, Remit } from '../client/src/remit.ts';
import { currencies } from '../shared/base/money.ts';
import { exportFormats, exportKinds } from '../shared/domain/exports/export-kinds.ts';
import { connectApi, withProfileOption } from './api-connection.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type CommandResult,
  type OptionSpec,
  parseChoice,
  usageError,
} from './command.ts';
import {
  type Columns,
  getCommand,
  idempotencyOption,
  listCommand,
  pageOptions,
  readFields,
  readWriteOptions,
  resourceResult,
} from './resources.ts';
import { showProgress } from './terminal.ts';

const columns: Columns<Export> = {
  EXPORT: ({ id }) => id,
  STATUS: ({ status }) => status,
  KIND: ({ kind }) => kind,
  FROM: ({ from }) => from,
  TO: ({ to }) => to,
  ROWS: ({ rows }) => String(rows),
  EXPIRES: ({ expiresAt }) => expiresAt ?? '',
};

const rangeOptions: Readonly<Record<string, OptionSpec>> = {
  from: {
    value: 'DAY',
    about: 'First day, in the time zone of the account. Default: 10 years before the last day.',
  },
  to: { value: 'DAY', about: 'Last day, at most 10 years after the first. Default: today.' },
};

const filterOptions: Readonly<Record<string, OptionSpec>> = {
  status: { value: 'STATUS', about: 'Only rows with this status, or several separated by commas.' },
  currency: { value: 'CURRENCY', about: `Only rows in this currency: ${currencies.join(', ')}.` },
  'customer-id': { value: 'ID', about: 'Only rows of this customer, cust_….' },
  'invoice-id': { value: 'ID', about: 'Only rows of this invoice.' },
  'payment-id': { value: 'ID', about: 'Only refunds of this payment.' },
};

const outputOption: OptionSpec = {
  value: 'FILE',
  about: 'Wait until the export is completed, and save it as this file. Several archives get numbers.',
};

const formatOptions: Readonly<Record<string, OptionSpec>> = {
  format: { value: 'FORMAT', about: `Format of the files: ${exportFormats.join(' or ')}. Default: csv.` },
  bom: { about: 'Begin CSV with a byte order mark. Excel needs it for other scripts than Latin.' },
};

const create: CliCommand = {
  about: 'Make files with the records of a kind, in the background.',
  details: `Kinds: ${exportKinds.join(', ')}. Documents are a ZIP archive of their PDFs with an index.

The set of records is fixed when the export begins. The files are deleted after 7 days.`,
  operands: ['KIND'],
  options: {
    ...rangeOptions,
    ...formatOptions,
    ...filterOptions,
    output: outputOption,
    ...idempotencyOption,
  },
  examples: [
    'npx remit exports create invoices --from 2026-01-01 --to 2026-12-31 --output invoices.csv',
    'npx remit exports create documents --from 2026-01-01 --output documents.zip',
  ],
  run: async (options) => {
    const filters = readFields<NonNullable<ExportCreateParams['filters']>>(options, filterOptions);
    const format = options.optional('format');
    const body: ExportCreateParams = {
      kind: parseChoice('kind', options.required('KIND'), exportKinds),
      ...readFields<Pick<ExportCreateParams, 'from' | 'to'>>(options, rangeOptions),
      ...(format !== undefined && { format: parseChoice('format', format, exportFormats) }),
      ...(options.flag('bom') && { bom: true }),
      ...(Object.keys(filters).length > 0 && { filters }),
    };
    const output = options.optional('output');
    const { remit } = await connectApi();
    const created = await remit.exports.create(body, readWriteOptions(options));
    if (output !== undefined) return save(remit, created.id, output);
    return resourceResult(created, `Save it with npx remit exports download ${created.id} --output FILE.`);
  },
};

const download: CliCommand = {
  about: 'Wait until an export is completed, and save its files.',
  operands: ['EXPORT'],
  options: { output: { ...outputOption, required: true } },
  examples: ['npx remit exports download exp_… --output invoices.csv'],
  run: async (options) => {
    const output = options.required('output');
    const { remit } = await connectApi();
    return save(remit, options.required('EXPORT'), output);
  },
};

/** @throws CommandError if the export has failed, or its files have expired */
async function save(remit: Remit, id: string, output: string): Promise<CommandResult> {
  if (output === '') throw usageError('--output must name a file.');
  const ended = await waitUntilEnded(remit, id);
  if (ended.status === 'failed')
    throw new CommandError(
      `The export ${id} has failed: ${String(ended.failure).replaceAll('_', ' ')}. Create it again.`,
    );
  const { saveParts } = await import('./export-files.ts');
  const files = await saveParts(remit, ended, output);
  const count = ended.rows === 1 ? '1 row' : `${ended.rows.toLocaleString('en-US')} rows`;
  // The links are as good as the rows, so they are not printed.
  const parts = ended.parts.map((part) => ({ ...part, url: null }));
  return resourceResult({ ...ended, parts }, `Saved ${count} as ${files.join(', ')}.`);
}

const firstPollMs = 300;
const maxPollMs = 5_000;

async function waitUntilEnded(remit: Remit, id: string): Promise<Export> {
  for (let waitMs = firstPollMs; ; waitMs = Math.min(maxPollMs, waitMs * 1.5)) {
    const shown = await remit.exports.retrieve(id);
    if (shown.status !== 'running') return shown;
    showProgress(`Waiting for ${id}: ${shown.rows.toLocaleString('en-US')} rows`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

const list = listCommand(
  {
    about: 'List exports, newest first.',
    examples: ['npx remit exports list', 'npx remit exports list --all --json'],
  },
  pageOptions,
  columns,
  (remit, query: ExportListParams) => remit.exports.list(query),
);

const get = getCommand(
  'Show an export, with links to its files.',
  'EXPORT',
  'npx remit exports get exp_…',
  (remit, id) => remit.exports.retrieve(id),
);

export const exportsCommands: CommandGroup = {
  about: 'Make files with invoices, payments, refunds, customers, documents or the journal.',
  commands: withProfileOption({ create, list, get, download }),
};
