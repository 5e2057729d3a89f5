/** `remit reconcile`: compares records with the lists that show them and with one another, now or as it was done on a day. */
import { modes, type Owner } from '../shared/ids.ts';
import { rules } from '../shared/reconciliation/difference.ts';
import type { Reported } from '../shared/reconciliation/report.ts';
import { now, toTimestamp } from '../shared/time.ts';
import { existingAccount } from './accounts.ts';
import { type Command, type Group, type Option, type Options, usageError } from './command.ts';
import type { Table } from './table.ts';
import { connectTable, tableHelp } from './table-connection.ts';

const accountOption: Option = { value: 'ACCOUNT', about: 'one account alone, acct_…; default: all of them' };

const run: Command = {
  about: 'Looks through all records now, and shows what does not agree; nothing is reported.',
  details: `What disagrees is looked at again, for up to a minute and a half, until it stands or is gone: what is under way
is no difference. The exit code is 1 if there are differences.`,
  options: {
    account: accountOption,
    repair: { about: 'adds to lists what they lack; all else is left as it is' },
  },
  examples: ['npx remit reconcile run', 'npx remit reconcile run --account acct_… --repair'],
  run: async (options) => {
    const { reconcileNow } = await service();
    const differences: Reported[] = [];
    let records = 0;
    let open = 0;
    for await (const owner of ownersOf(options)) {
      const seen = await reconcileNow(owner);
      differences.push(...seen.differences.map(({ evidence: _, ...difference }) => difference));
      records += seen.records;
      open += seen.open.length;
    }
    const repaired = options.flag('repair') ? await repairAll(differences) : [];
    const left = differences.filter((difference) => !repaired.includes(difference));
    const { table, sentences } = tableOf(differences);
    const lines = [
      ...sentences,
      `${records} records were compared; differences: ${differences.length}.`,
      ...(open > 0 ? [`Besides, ${open} may be differences: they changed, or are not published yet.`] : []),
      ...(repaired.length > 0 ? [`Repaired: ${repaired.map(({ id }) => id).join(', ')}.`] : []),
    ];
    const json = { records, differences, open, repaired: repaired.map(({ id, rule }) => ({ id, rule })) };
    return { json, ...(table && { table }), text: lines.join('\n'), failed: left.length > 0 };
  },
};

const report: Command = {
  about: "Shows what a day's reconciliation has found, as far as it has come.",
  details:
    'The exit code is 1 if there are differences, or none was begun on that day. Reports are kept for 90 days.',
  options: { day: { value: 'DAY', about: 'such as 2027-01-31, in UTC; default: today' } },
  examples: ['npx remit reconcile report', 'npx remit reconcile report --day 2027-01-31 --json'],
  run: async (options) => {
    const day = options.optional('day') ?? toTimestamp(now()).slice(0, 10);
    if (!isDay(day)) throw usageError('--day must be a date, such as 2027-01-31.');
    const { readReport } = await service();
    const found = await readReport(day);
    if (!found)
      return {
        json: { day, begunAt: null },
        text: `No reconciliation was begun on ${day}. A deployment begins one each day; npx remit reconcile run compares now.`,
        failed: true,
      };
    const { begunAt, owners, ended, records, differences } = found;
    const at = toTimestamp(begunAt);
    const { table, sentences } = tableOf(differences);
    const sum = `Begun at ${at}; ${ended} of ${owners} accounts and modes were gone through, ${records} records; differences: ${differences.length}.`;
    const json = { day, ...found, begunAt: at };
    const text = [...sentences, sum].join('\n');
    return { json, ...(table && { table }), text, failed: differences.length > 0 };
  },
};

const skipNumbers: Command = {
  about: 'After a restore: leaves out the numbers that lost records have had, so that no id is given twice.',
  details: `Ids follow from numbers. What was created after the second to which the table was restored is not in it, but payers may
have its address, and the payment provider its payments: so its ids must not become those of others.`,
  options: {
    count: {
      ...{
        value: 'COUNT',
        about: 'at least as many as were created of a resource in an account since',
        required: true,
      },
      integer: true,
    },
    account: accountOption,
  },
  examples: ['npx remit reconcile skip-numbers --count 10000'],
  run: async (options) => {
    const count = Number(options.required('count'));
    if (!(count >= 1 && count <= maxSkipped)) throw usageError(`--count must be from 1 to ${maxSkipped}.`);
    const store = await service();
    let owners = 0;
    for await (const owner of ownersOf(options)) {
      await store.skipNumbers(owner, count);
      owners += 1;
    }
    return {
      json: { count, owners },
      text: `${count} numbers are left out in ${owners} accounts and modes.`,
    };
  },
};

/** Each number that is left out is looked for by every reconciliation. */
const maxSkipped = 1_000_000;

export const reconcile: Group = {
  about: 'Whether records, the lists that show them, payments and refunds agree.',
  details: tableHelp,
  commands: { run, report, 'skip-numbers': skipNumbers },
};

/** The service is loaded once the command knows where its table is. */
async function service() {
  await connectTable();
  const [atOnce, reports, stores] = await Promise.all([
    import('../shared/reconciliation/reconcile-now.ts'),
    import('../shared/reconciliation/report.ts'),
    import('../shared/reconciliation/store.ts'),
  ]);
  return { ...atOnce, ...reports, ...stores };
}

/** The account that was named, or all, in both modes. */
async function* ownersOf(options: Options): AsyncGenerator<Owner> {
  const { readAccountIds } = await service();
  const named = options.optional('account') === undefined ? undefined : await existingAccount(options);
  for await (const accounts of named ? [[named]] : readAccountIds()) {
    for (const account of accounts) for (const mode of modes) yield { account, mode };
  }
}

async function repairAll(differences: readonly Reported[]): Promise<Reported[]> {
  const { isRepairable, repair } = await import('../shared/reconciliation/repair.ts');
  const repairable = differences.filter(isRepairable);
  for (const difference of repairable) await repair(difference);
  return repairable;
}

/** A day of the calendar as the reports are named by it. */
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;

/** A row for each, and a sentence for each rule that is broken. */
function tableOf(differences: readonly Reported[]): { table?: Table; sentences: string[] } {
  if (differences.length === 0) return { sentences: [] };
  const heads = ['ID', 'RULE', 'EXPECTED', 'FOUND', 'MODE', 'ACCOUNT'];
  const rows = differences.map(({ account, mode, id, rule, expected, found }) =>
    [id, rule, expected, found, mode, account].map(String),
  );
  const broken = [...new Set(differences.map(({ rule }) => rule))];
  return { table: { heads, rows }, sentences: broken.map((rule) => `${rule}: ${rules[rule]}.`) };
}
