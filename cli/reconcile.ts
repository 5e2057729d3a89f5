/** Defines `remit reconcile`: compares records with lists and with one another, and shows daily reports. */

import { changedSettings } from '../shared/base/audit-origin.ts';
import { isDay } from '../shared/base/due-date.ts';
import { modes, type Owner } from '../shared/base/ids.ts';
import { now, toTimestamp } from '../shared/base/time.ts';
import { auditRules } from '../shared/domain/audit/rules.ts';
import {
  documentRules,
  itemRules,
  journalRules,
  keyRules,
  providerRules,
  rules,
} from '../shared/operations/reconciliation/difference.ts';
import type { ComparisonFailure } from '../shared/operations/reconciliation/reconcile-now.ts';
import type { ReportedDifference } from '../shared/operations/reconciliation/report.ts';
import { auditOperation } from './audit-operation.ts';
import {
  type CliCommand,
  type CommandGroup,
  type OptionSpec,
  type ParsedOptions,
  usageError,
} from './command.ts';
import { confirmChange, yesOption } from './confirmation.ts';
import { requireAccountId } from './requested-account.ts';
import type { TextTable } from './table.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const defaultProviderDays = 7;

const accountOption: OptionSpec = {
  value: 'ACCOUNT',
  about: 'Only this account (acct_…). Default: all accounts.',
};

const run: CliCommand = {
  about: 'Compare records with lists and with one another now, and show the differences.',
  details: `Records that are final, that agreed in an earlier comparison and whose list shows no change are not read
again. The output counts them. --full reads all records, as each account's monthly comparison does.

The payments of the last days are also compared with the books of connected payment providers. A payment that the
service has not settled within an hour is a difference.

The command also sets the timers of pending invoices that are due within three days, if they do not exist.

A change in progress is not a difference. So the command checks each difference again, for up to 90 seconds.
The differences are not added to the daily report.

If a record cannot be read, or a provider does not answer, the command compares the rest and says what it has not
compared.

The exit code is 1 if there are differences, or if something was not compared.`,
  options: {
    account: accountOption,
    full: { about: 'Read all records, also those that agreed in an earlier comparison.' },
    'provider-days': {
      value: 'DAYS',
      about: `How many days to compare with the books of payment providers, from 0 to 366. Default: ${defaultProviderDays}.`,
      integer: true,
    },
    repair: {
      about:
        'Add missing entries to lists, and bring entries of API keys in line with the keys. Change nothing else.',
    },
  },
  examples: [
    'npx remit reconcile run',
    'npx remit reconcile run --full',
    'npx remit reconcile run --account acct_… --repair',
    'npx remit reconcile run --provider-days 90',
  ],
  run: async (options) => {
    const { reconcileNow } = await loadReconciliation();
    const differences: ReportedDifference[] = [];
    const notCompared: ComparisonFailure[] = [];
    let records = 0;
    let remembered = 0;
    let unconfirmed = 0;
    let providerPayments = 0;
    const days = readProviderDays(options);
    for await (const owner of listOwners(options)) {
      const result = await reconcileNow(owner, { full: options.flag('full') });
      differences.push(...result.differences.map(({ evidence: _, ...difference }) => difference));
      records += result.records;
      remembered += result.remembered;
      unconfirmed += result.unconfirmed.length;
      notCompared.push(...result.failures);
      const books = days > 0 ? await compareBooks(owner, days) : undefined;
      providerPayments += books?.payments ?? 0;
      differences.push(...(books?.differences.map(({ evidence: _, ...difference }) => difference) ?? []));
      for (const { provider, message } of books?.failures ?? [])
        notCompared.push({ ...owner, part: `the books of ${provider}`, message });
    }
    const repaired = options.flag('repair') ? await repairDifferences(options, differences) : [];
    const unrepaired = differences.filter((difference) => !repaired.includes(difference));
    const { table, sentences } = renderDifferences(differences);
    const lines = [
      ...sentences,
      `${comparedText(records, remembered)} Differences: ${differences.length}.`,
      ...(providerPayments > 0 ? [`Compared ${providerPayments} payments in the books of providers.`] : []),
      ...(unconfirmed > 0 ? [`Unconfirmed differences: ${unconfirmed}. ${unconfirmedAdvice}`] : []),
      ...notCompared.map(
        ({ account, mode, part, message }) =>
          `Not compared in ${mode} mode of ${account}: ${part}. ${message}`,
      ),
      ...(notCompared.length > 0 ? [notComparedAdvice] : []),
      ...(repaired.length > 0 ? [`Repaired: ${repaired.map(({ id }) => id).join(', ')}.`] : []),
    ];
    const json = {
      records,
      remembered,
      providerPayments,
      differences,
      open: unconfirmed,
      notCompared,
      repaired: repaired.map(({ id, rule }) => ({ id, rule })),
    };
    const failed = unrepaired.length > 0 || notCompared.length > 0;
    return { json, ...(table && { table }), text: lines.join('\n'), failed };
  },
};

/** @throws a usage error if the number of days is out of range */
function readProviderDays(options: ParsedOptions): number {
  const days = Number(options.optional('provider-days') ?? defaultProviderDays);
  if (days >= 0 && days <= 366) return days;
  throw usageError('--provider-days must be from 0 to 366.');
}

async function compareBooks(owner: Owner, days: number) {
  const { compareProviderBooks } = await import(
    '../shared/operations/reconciliation/provider-differences.ts'
  );
  const { readAllocatedNumbers } = await loadReconciliation();
  const numbers = await readAllocatedNumbers(owner);
  const at = now();
  return (
    numbers && compareProviderBooks(owner, numbers, { since: at - days * dayMs, now: at, waitMs: 5_000 })
  );
}

/** Says how many records were read, and how many were not read because they agreed before. */
function comparedText(records: number, remembered: number, where = ''): string {
  const compared = `Compared ${records} records${where}.`;
  return remembered > 0
    ? `${compared} ${remembered} other records agreed in an earlier comparison and were not read again.`
    : compared;
}

const unconfirmedAdvice =
  'The records changed during the check, or an event is not published yet. Run the command again later.';

const notComparedAdvice =
  'Repair what the messages name, or wait until the provider answers. Then run the command again.';

const report: CliCommand = {
  about: 'Show the differences that the reconciliation of a day has found so far.',
  details:
    'The exit code is 1 if there are differences, if something was not compared, or if no reconciliation started on that day. Reports are kept for 90 days.',
  options: { day: { value: 'DAY', about: 'Day in UTC, for example 2027-01-31. Default: today.' } },
  examples: ['npx remit reconcile report', 'npx remit reconcile report --day 2027-01-31 --json'],
  run: async (options) => {
    const day = options.optional('day') ?? toTimestamp(now()).slice(0, 10);
    if (!isDay(day)) throw usageError('--day must be a date, for example 2027-01-31.');
    const { readReport } = await loadReconciliation();
    const stored = await readReport(day);
    if (!stored)
      return {
        json: { day, begunAt: null },
        text: `No reconciliation started on ${day}. A deployment starts one each day. To compare now, run npx remit reconcile run.`,
        failed: true,
      };
    const { begunAt, owners, ended, records, remembered, full, differences, notCompared } = stored;
    const at = toTimestamp(begunAt);
    const { table, sentences } = renderDifferences(differences);
    const compared = comparedText(records, remembered, ` in ${ended} of ${owners} accounts and modes`);
    const summary = `Started at ${at}. ${compared} Full comparisons: ${full}. Differences: ${differences.length}.`;
    const json = { day, ...stored, begunAt: at };
    const missing = notCompared.map(
      ({ account, mode, part }) =>
        `Not compared in ${mode} mode of ${account}: the ${part}. The account changed during each check. The next day compares it.`,
    );
    const text = [...sentences, summary, ...missing].join('\n');
    const failed = differences.length > 0 || notCompared.length > 0;
    return { json, ...(table && { table }), text, failed };
  },
};

const skipNumbers: CliCommand = {
  about: 'After a restore, skip the numbers of lost records, so that no ID is used twice.',
  details: `IDs are derived from sequence numbers. A restored table does not contain the records that were created after
its restore point. But payers may still have the URLs of these invoices, and the payment provider knows the payments.
Therefore new records must not use the IDs of these lost records.`,
  options: {
    count: {
      value: 'COUNT',
      about:
        'How many numbers to skip. Use at least the number of invoices, payments or refunds that one account created after the restore point.',
      required: true,
      integer: true,
    },
    account: accountOption,
    ...yesOption,
  },
  examples: ['npx remit reconcile skip-numbers --count 10000'],
  run: async (options) => {
    const count = Number(options.required('count'));
    if (!(count >= 1 && count <= maxSkipped)) throw usageError(`--count must be from 1 to ${maxSkipped}.`);
    const store = await loadReconciliation();
    let owners = 0;
    const account = options.optional('account') && (await requireAccountId(options));
    await confirmChange(
      options,
      () => `This skips ${count} numbers in ${account ?? 'all accounts'}. It cannot be undone.`,
    );
    const changes = changedSettings(undefined, { skippedNumbers: count });
    await auditOperation({ action: 'number.skip', account, changes }, async () => {
      for await (const owner of listOwners(options)) {
        await store.skipSequenceNumbers(owner, count);
        owners += 1;
      }
    });
    return {
      json: { count, owners },
      text: `Skipped ${count} numbers in ${owners} accounts and modes.`,
    };
  },
};

/** A limit, because the next reconciliations look for a record of each skipped number. */
const maxSkipped = 1_000_000;

export const reconcileCommands: CommandGroup = {
  about: 'Check that records, lists, payments and refunds agree.',
  details: tableHelp,
  commands: withDeploymentOptions({ run, report, 'skip-numbers': skipNumbers }),
};

/** Loads the modules of the service. They read the environment when they load, so the table must be connected first. */
async function loadReconciliation() {
  await connectTable();
  const [directory, immediate, reports, stores] = await Promise.all([
    import('../shared/store/account-directory.ts'),
    import('../shared/operations/reconciliation/reconcile-now.ts'),
    import('../shared/operations/reconciliation/report.ts'),
    import('../shared/operations/reconciliation/reconciliation-store.ts'),
  ]);
  return { ...directory, ...immediate, ...reports, ...stores };
}

/** Yields the account of `--account`, or all accounts, in both modes. */
async function* listOwners(options: ParsedOptions): AsyncGenerator<Owner> {
  const { readAccountIds } = await loadReconciliation();
  const accountId = options.optional('account') === undefined ? undefined : await requireAccountId(options);
  for await (const accounts of accountId ? [[accountId]] : readAccountIds()) {
    for (const account of accounts) for (const mode of modes) yield { account, mode };
  }
}

async function repairDifferences(
  options: ParsedOptions,
  differences: readonly ReportedDifference[],
): Promise<ReportedDifference[]> {
  const { isRepairable, repair } = await import('../shared/operations/reconciliation/repair.ts');
  const repairable = differences.filter(isRepairable);
  if (repairable.length === 0) return [];
  await auditOperation({ action: 'difference.repair', account: options.optional('account') }, async () => {
    for (const difference of repairable) await repair(difference);
  });
  return repairable;
}

const allRules = {
  ...rules,
  ...journalRules,
  ...itemRules,
  ...keyRules,
  ...documentRules,
  ...providerRules,
  ...auditRules,
};

/** Returns a table with a row for each difference, and a sentence for each broken rule. */
function renderDifferences(differences: readonly ReportedDifference[]): {
  table?: TextTable;
  sentences: string[];
} {
  if (differences.length === 0) return { sentences: [] };
  const headers = ['ID', 'RULE', 'EXPECTED', 'FOUND', 'MODE', 'ACCOUNT'];
  const rows = differences.map(({ account, mode, id, rule, expected, found }) =>
    [id, rule, expected, found, mode, account].map(String),
  );
  const broken = [...new Set(differences.map(({ rule }) => rule))];
  return {
    table: { headers, rows },
    sentences: broken.map((rule) => `${rule}: ${allRules[rule]}.`),
  };
}
