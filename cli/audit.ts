/** Defines `remit audit`: lists the audit log, and writes a month of it for an archive. */
import { once } from 'node:events';
import * as v from 'valibot';
import { type ListAuditLog, listAuditLogQuery, type ShownAuditEntry } from '../shared/audit/entry.ts';
import type { AuditScope } from '../shared/audit/store.ts';
import { auditActions } from '../shared/audit-origin.ts';
import { modes } from '../shared/ids.ts';
import { now } from '../shared/time.ts';
import { requireAccountId } from './accounts.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { connectTable, loadAccountStores, tableHelp, withDeploymentOptions } from './table-connection.ts';

const accountOption: OptionSpec = { value: 'ACCOUNT', about: 'Account ID (acct_…).' };

const filterOptions: Readonly<Record<string, OptionSpec>> = {
  actor: { value: 'ID', about: 'Only operations of this actor: a key ID, a user, or an ARN.' },
  action: { value: 'ACTION', about: `Only operations of this kind: ${auditActions.join(', ')}.` },
  resource: { value: 'ID', about: 'Only operations on this resource.' },
  before: { value: 'ENTRY', about: 'Only entries older than this one (aud_…).' },
  limit: { value: 'N', about: 'Maximum number of results, 1 to 100. Default: 20.', integer: true },
};

const list: CliCommand = {
  about: 'List who did what in an account or in the whole deployment, newest first.',
  details: `With --account and --mode, it lists the operations on that account in that mode. Without them, it lists the operations
on the whole deployment, such as maintenance.

With a filter, one run examines 100 entries. If there are more, it says how to continue.`,
  options: {
    account: accountOption,
    mode: { value: 'MODE', about: `Mode: ${modes.join(' or ')}. Required with --account.` },
    ...filterOptions,
  },
  examples: [
    'npx remit audit list --account acct_… --mode live --stage prod',
    'npx remit audit list --stage prod --json',
  ],
  run: async (options) => {
    const query = readQuery(options);
    const scope = await readScope(options);
    await connectTable();
    const { listAuditPage } = await import('../shared/audit/listing.ts');
    const page = await listAuditPage(scope, query, now());
    const headers = ['TIME', 'ACTOR', 'ACTION', 'OUTCOME', 'RESOURCE', 'CHANGES', 'ENTRY'];
    const { hasMore, next } = page.cursor;
    return {
      json: page,
      table: { headers, rows: page.data.map(toRow) },
      remark: hasMore ? `There are more entries. To continue, add --before ${next}.` : undefined,
    };
  },
};

const exportMonth: CliCommand = {
  about: 'Write the entries of a month as JSON Lines, oldest first, for an archive.',
  details: `Each line has the fields of an entry, and scope: account and mode, or deployment. Entries expire after 400 days, so an
archive must be written before. Without --account, the lines of the deployment and of all accounts are written.`,
  options: {
    month: { value: 'MONTH', about: 'Month in UTC, for example 2027-01.', required: true },
    account: accountOption,
  },
  examples: ['npx remit audit export --month 2027-01 --stage prod'],
  run: async (options) => {
    const month = options.required('month');
    if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month))
      throw usageError('--month must be a month, for example 2027-01.');
    const scopes = await readAllScopes(options);
    const { readAuditMonth } = await import('../shared/audit/store.ts');
    const { showAuditEntry } = await import('../shared/audit/entry.ts');
    let count = 0;
    for (const scope of scopes) {
      for await (const entry of readAuditMonth(scope, Date.parse(`${month}-01`))) {
        const line = { scope: scope === 'deployment' ? scope : { ...scope }, ...showAuditEntry(entry) };
        const text = `${escapeControlCharacters(JSON.stringify(line))}\n`;
        if (!process.stdout.write(text)) await once(process.stdout, 'drain');
        count += 1;
      }
    }
    process.stderr.write(`Exported ${count} entries.\n`);
    return undefined;
  },
};

export const auditCommands: CommandGroup = {
  about: 'List and export the audit log.',
  details: tableHelp,
  commands: withDeploymentOptions({ list, export: exportMonth }),
};

/** Reads the filters by the rules of the API. @throws CommandError (usage) with the message of the API */
function readQuery(options: ParsedOptions): ListAuditLog {
  const given = Object.keys(filterOptions).map((name) => [name, options.optional(name)]);
  const parsed = v.safeParse(listAuditLogQuery, Object.fromEntries(given));
  if (parsed.success) return parsed.output;
  throw usageError(`--${parsed.issues[0].message}`);
}

async function readScope(options: ParsedOptions): Promise<AuditScope> {
  const mode = options.optional('mode');
  const hasAccount = options.optional('account') !== undefined;
  if (hasAccount !== (mode !== undefined)) throw usageError('Use --account and --mode together.');
  if (mode === undefined) return 'deployment';
  return { mode: parseChoice('mode', mode, modes), account: await requireAccountId(options) };
}

async function readAllScopes(options: ParsedOptions): Promise<AuditScope[]> {
  if (options.optional('account') !== undefined) return scopesOf([await requireAccountId(options)]);
  const accounts = await (await loadAccountStores()).listAccounts();
  return ['deployment', ...scopesOf(accounts.map(({ accountId }) => accountId))];
}

const scopesOf = (accounts: readonly string[]): AuditScope[] =>
  accounts.flatMap((account) => modes.map((mode) => ({ account, mode })));

function toRow({ id, timestamp, actor, action, outcome, resource, changes }: ShownAuditEntry): string[] {
  const shown = changes.map(({ field, before, after }) => `${field}: ${before ?? '–'} → ${after ?? '–'}`);
  return [timestamp, actor.id ?? actor.type, action, outcome, resource ?? '–', shown.join('; '), id];
}
