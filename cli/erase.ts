/** Defines `remit erase`: erases the personal data of one customer of an account. */
import * as v from 'valibot';
import { isLoopback } from '../infra/loopback.ts';
import { type Mode, modes, type Owner } from '../shared/base/ids.ts';
import { now } from '../shared/base/time.ts';
import { customerIdSchema } from '../shared/domain/invoices/invoice.ts';
import type { ErasedCounts, ErasureOptions } from '../shared/operations/erasure/erase-customer.ts';
import { auditOperation } from './audit-operation.ts';
import {
  type CliCommand,
  CommandError,
  type CommandResult,
  type ParsedOptions,
  parseChoice,
  usageError,
} from './command.ts';
import { describeError } from './error-text.ts';
import { accountOption, requireAccountId } from './requested-account.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';
import { ask, endProgress, isInteractive, showProgress } from './terminal.ts';

/** The rows of the result, in the words of the operator. */
const rowNames: Readonly<Record<keyof ErasedCounts, string>> = {
  customers: 'customers',
  drafts: 'drafts',
  schedules: 'schedules',
  invoices: 'invoices',
  payments: 'payments',
  refunds: 'refunds',
  documents: 'documents',
  mails: 'mails',
  rows: 'rows of bank statements',
  events: 'events',
  answers: 'stored answers',
  deliveries: 'deliveries',
};

const remains = `Copies remain outside the table: backups and point-in-time recovery (after a restore, run this command again),
files of npx remit accounts export, and what webhook receivers, the payment provider and the account's own clients have stored.
Invoices that are created for this customer from now on are not erased.`;

const command: CliCommand = {
  about: 'Erase the personal data of one customer from records, documents, events and answers. Permanent.',
  details: `The customer with this ID, or the customers with this e-mail address, and their drafts are deleted.
Their schedules end. In invoices, the
customer ID becomes a random pseudonym, and descriptions, references and reasons become [erased]. Amounts,
currencies, statuses, dates and IDs stay. docs/operate/accounts.md lists what is erased, what remains, and the cost.

The service continues to work meanwhile. The command takes about four minutes for each mode, and three more for each GB of the
table, which it reads once. If it is interrupted, it says where it stands. Run it again: it continues. The exit code is 1 if there
is nothing to erase.

${tableHelp}`,
  options: {
    account: accountOption,
    customer: {
      value: 'CUSTOMER',
      about:
        'Customer ID of the invoices, or ID (cust_…) or e-mail address of a customer. E-mail addresses ignore case.',
      required: true,
    },
    mode: { value: 'MODE', about: 'Erase only in this mode: test or live. Default: both.' },
    'dry-run': { about: 'Only count what would be erased. Change nothing.' },
    yes: { about: 'Skip the confirmation prompt. Required without a terminal.' },
  },
  examples: [
    'npx remit erase --account acct_… --customer dorji@example.bt --stage prod --dry-run',
    'npx remit erase --account acct_… --customer dorji@example.bt --stage prod',
  ],
  run: async (options) => {
    const customer = readCustomer(options);
    const mode = options.optional('mode');
    const wanted = mode === undefined ? modes : [parseChoice('mode', mode, modes)];
    const dryRun = options.flag('dry-run');
    const isConfirmed = dryRun || options.flag('yes');
    if (!isConfirmed && !isInteractive())
      throw usageError('An erasure cannot be undone. To confirm, add --yes.');
    const account = await requireAccountId(options);
    const { countToErase, eraseCustomer, newPseudonym } = await loadErasure();
    const owners: OwnerToErase[] = [];
    for (const each of wanted) {
      const owner = { account, mode: each };
      const counts = await countToErase(owner, customer);
      if (counts) owners.push({ owner, ...counts });
    }
    if (owners.length === 0) return nothingFound(account, wanted, dryRun);
    if (!isConfirmed) await requireConfirmation(customer, owners);
    const pseudonym = newPseudonym();
    const results: ErasureResult[] = [];
    for (const { owner } of owners) {
      const erase = () =>
        sayHowToContinue(owner.mode, dryRun, (onProgress) =>
          eraseCustomer(owner, customer, { pseudonym, dryRun, wait, onProgress }),
        );
      // The entry names neither the customer nor the pseudonym.
      const operation = { action: 'customer.erase', ...owner } as const;
      const result = dryRun ? await erase() : await auditOperation(operation, erase);
      results.push({ mode: owner.mode, ...result });
    }
    return describe(account, results, dryRun);
  },
};

export const { erase: eraseCommand } = withDeploymentOptions({ erase: command });

/**
 * Runs an erasure. If it fails, or if the user presses Ctrl-C, says where it stands and how it continues.
 * @throws CommandError if `erase` fails
 */
async function sayHowToContinue<T>(
  mode: Mode,
  dryRun: boolean,
  erase: (onProgress: ErasureOptions['onProgress']) => Promise<T>,
): Promise<T> {
  if (dryRun) return erase(showProgress);
  let standing = `Nothing is erased in ${mode} mode yet.`;
  const textOf = () => `${standing} Run the same command again: it continues.`;
  const stop = () => {
    endProgress();
    process.stderr.write(`The erasure was interrupted. ${textOf()}\n`);
    process.exit(interruptedCode);
  };
  process.once('SIGINT', stop);
  try {
    return await erase((text, counts) => {
      const erased = Object.entries(rowNames).map(
        ([name, row]) => `${counts[name as keyof ErasedCounts]} ${row}`,
      );
      standing = `The erasure in ${mode} mode is not complete. This run has erased ${erased.join(', ')}. It stopped at: ${text}`;
      showProgress(text);
    });
  } catch (error) {
    throw new CommandError(`${describeError(error)} ${textOf()}`);
  } finally {
    process.off('SIGINT', stop);
  }
}

/** What shells expect of a program that ended by SIGINT. */
const interruptedCode = 130;

interface OwnerToErase {
  readonly owner: Owner;
  readonly invoices: number;
  readonly customers: number;
  readonly drafts: number;
  readonly schedules: number;
}

interface ErasureResult {
  readonly mode: Mode;
  readonly pseudonym: string;
  readonly counts: ErasedCounts;
}

/** Loads the erasure. @throws CommandError if the service is in maintenance */
async function loadErasure() {
  await connectTable();
  const { readMaintenance } = await import('../shared/domain/accounts/maintenance-store.ts');
  if (await readMaintenance())
    throw new CommandError(
      'The service is in maintenance, so a restore may be in progress, which would lose the erasure. Run npx remit maintenance off, then this command again.',
    );
  return import('../shared/operations/erasure/erase-customer.ts');
}

function readCustomer(options: ParsedOptions): string {
  const { success, output } = v.safeParse(customerIdSchema, options.required('customer'));
  if (success) return output;
  throw usageError('--customer must be the customerId of an invoice: an e-mail address or an ID.');
}

async function requireConfirmation(customer: string, owners: readonly OwnerToErase[]): Promise<void> {
  const counts = owners
    .map(
      ({ owner, invoices, customers, drafts, schedules }) =>
        `${invoices} invoices, ${drafts} drafts, ${schedules} schedules and ${customers} customers in ${owner.mode} mode`,
    )
    .join(', ');
  const typed = await ask(
    `This permanently erases the customer's data: ${counts}. Type the customer ID to continue: `,
  );
  if (typed !== customer) throw new CommandError('The customer ID does not match. Nothing was changed.');
}

function nothingFound(account: string, wanted: readonly Mode[], dryRun: boolean): CommandResult {
  const text = `${account} has no invoices of this customer and no such customer in ${wanted.join(' or ')} mode, so nothing was erased. Check the customer ID. If an earlier run was complete, this is the expected result.`;
  return { json: { accountId: account, dryRun, modes: [] }, text, failed: true };
}

function describe(account: string, results: readonly ErasureResult[], dryRun: boolean): CommandResult {
  const rows = results.flatMap(({ mode, counts }) =>
    Object.entries(rowNames).map(([name, shown]) => [
      mode,
      shown,
      String(counts[name as keyof ErasedCounts]),
    ]),
  );
  const pseudonyms = [...new Set(results.map(({ pseudonym }) => pseudonym))].join(', ');
  const text = dryRun
    ? 'Nothing was changed. Without --dry-run, this data is erased.'
    : `The data is erased. The customer ID is now ${pseudonyms}.\n${remains}`;
  return {
    json: {
      accountId: account,
      dryRun,
      modes: results.map(({ mode, pseudonym, counts }) => ({
        mode,
        pseudonym: dryRun ? null : pseudonym,
        ...counts,
      })),
    },
    table: { headers: ['MODE', 'KIND', dryRun ? 'TO ERASE' : 'ERASED'], rows },
    text,
  };
}

/** The longest wait on the local stack, whose functions end within a second. */
const longestLocalWaitMs = 1_000;

/** Whether the command uses the local stack. Only its secret is in a file, and its table is on this machine. */
export function isLocalStack({ DEPLOYMENT_SECRET_FILE, AWS_ENDPOINT_URL_DYNAMODB = '' }: NodeJS.ProcessEnv) {
  return Boolean(
    DEPLOYMENT_SECRET_FILE && AWS_ENDPOINT_URL_DYNAMODB && isLoopback(AWS_ENDPOINT_URL_DYNAMODB),
  );
}

/** Waits, and shows the reason and the seconds that remain. */
async function wait(ms: number, reason: string): Promise<void> {
  const waitMs = isLocalStack(process.env) ? Math.min(ms, longestLocalWaitMs) : ms;
  const end = now() + waitMs;
  for (let leftMs = waitMs; leftMs > 0; leftMs = end - now()) {
    showProgress(`${reason} ${Math.ceil(leftMs / 1000)} s.`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs, 1_000)));
  }
}
