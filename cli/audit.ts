/** Defines `remit audit`: lists the audit log, and writes a month of it for an archive. */
import { once } from 'node:events';
import * as v from 'valibot';
import { auditActions } from '../shared/base/audit-origin.ts';
import { modes } from '../shared/base/ids.ts';
import { now } from '../shared/base/time.ts';
import type { AuditScope } from '../shared/domain/audit/audit-store.ts';
import { type ListAuditLog, listAuditLogQuery, type ShownAuditEntry } from '../shared/domain/audit/entry.ts';
import { type AuditRule, auditRules } from '../shared/domain/audit/rules.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { escapeControlCharacters } from './escape-control-characters.ts';
import { requireAccountId } from './requested-account.ts';
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
    const { listAuditPage } = await import('../shared/domain/audit/listing.ts');
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
  details: `Each line has the fields of an entry with its number and its seal, and scope: account and mode, or deployment. Entries expire after 400 days, so an
archive must be written before. Without --account, the lines of the deployment and of all accounts are written. The line of an entry that cannot be read has what is
stored.`,
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
    const { readStoredEntries, toAuditEntry } = await import('../shared/domain/audit/audit-store.ts');
    const { showAuditEntry } = await import('../shared/domain/audit/entry.ts');
    const { MalformedItemError, parseOrError } = await import('../shared/store/stored-fields.ts');
    let count = 0;
    for (const scope of scopes) {
      for await (const items of readStoredEntries(scope, Date.parse(`${month}-01`))) {
        for (const item of items) {
          const { number, previousExpiry, seal } = item;
          const place = {
            scope: scope === 'deployment' ? scope : { ...scope },
            number,
            previousExpiry,
            seal,
          };
          const entry = parseOrError(item, toAuditEntry);
          const shown =
            entry instanceof MalformedItemError
              ? { id: item.sk, malformed: entry.problem, stored: item }
              : showAuditEntry(entry);
          const line = { ...place, ...shown };
          const text = `${escapeControlCharacters(JSON.stringify(line))}\n`;
          if (!process.stdout.write(text)) await once(process.stdout, 'drain');
          count += 1;
        }
      }
    }
    process.stderr.write(`Exported ${count} entries.\n`);
    return undefined;
  },
};

const verify: CliCommand = {
  about: 'Check that no entry of the audit log is missing or altered.',
  details: `Each entry has a number without gaps for its account and mode, and a seal. The command needs the audit secret of the
deployment. It exits with 1 if a number is missing, or if an entry is not as it was sealed. Without --account, it checks the log of
the deployment and those of all accounts.`,
  options: { account: accountOption },
  examples: ['npx remit audit verify --stage prod', 'npx remit audit verify --account acct_… --json'],
  run: async (options) => {
    const scopes = await readAllScopes(options);
    await connectTable();
    const { verifyAuditLog } = await import('../shared/domain/audit/verify.ts');
    const { nameOfScope } = await import('../shared/domain/audit/audit-store.ts');
    let entries = 0;
    const found: { scope: string; rule: AuditRule; number: number; id: string | null }[] = [];
    for (const scope of scopes) {
      const verified = await verifyAuditLog(scope, now());
      entries += verified.entries;
      found.push(...verified.faults.map((fault) => ({ scope: nameOfScope(scope), ...fault })));
    }
    const rows = found.map(({ scope, rule, number, id }) => [
      scope,
      number === 0 ? '–' : String(number),
      id ?? '–',
      auditRules[rule],
    ]);
    const json = { entries, faults: found };
    if (found.length === 0)
      return { json, text: `All ${entries} entries are as they were sealed, and none is missing.` };
    const headers = ['LOG', 'NUMBER', 'ENTRY', 'FAULT'];
    const remark = 'Treat it as an attack: docs/operate/alarms/differences.md says what to do.';
    return { json, table: { headers, rows }, remark, failed: true };
  },
};

export const auditCommands: CommandGroup = {
  about: 'List, export and verify the audit log.',
  details: tableHelp,
  commands: withDeploymentOptions({ list, export: exportMonth, verify }),
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
