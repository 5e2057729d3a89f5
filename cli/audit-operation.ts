/**
 * Records what operators do to the table in the audit log.
 *
 * - Entries reach the log through the outbox, as those of all other changes do.
 * - An operation of one transaction puts its entry there in that transaction (`operatorOrigin`).
 * - An operation of many writes has an entry before its first write and another one after its last (`auditOperation`). So
 *   nothing changes without an entry, and an interrupted operation has only the first one.
 */
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { AuditAction, AuditOrigin, AuditOutcome, SettingChange } from '../shared/base/audit-origin.ts';
import { type Mode, modes, type Owner } from '../shared/base/ids.ts';
import { now } from '../shared/base/time.ts';
import { CommandError } from './command.ts';
import { usesLocalTable } from './local-table.ts';
import { connectTable } from './table-connection.ts';

/** All operations of one run of the program have this request id. */
const runId = randomUUID();

/** What an operation is about. Without an account, it is about the whole deployment. */
interface OperationScope {
  readonly account?: string | undefined;
  /** Default: both modes. */
  readonly mode?: Mode | undefined;
}

interface AuditedOperation extends OperationScope {
  readonly action: AuditAction;
  /** The id of the resource. Default: the account. */
  readonly resource?: string;
  readonly changes?: readonly SettingChange[];
}

let operator: Promise<string> | undefined;

/**
 * Returns the origin of an operation of this program: who runs it.
 * @throws CommandError if AWS does not say whose credentials these are
 */
export async function operatorOrigin(action: AuditAction): Promise<AuditOrigin> {
  await connectTable();
  operator ??= identifyOperator();
  return { actor: { type: 'operator', id: await operator }, action, requestId: runId, source: null };
}

/**
 * Runs an operation of many writes between two entries of the audit log.
 * @throws the error of `run`, after an entry with the outcome `failed` was added
 */
export async function auditOperation<T>(operation: AuditedOperation, run: () => Promise<T>): Promise<T> {
  const add = await entryWriter(operation);
  await add('started');
  try {
    const result = await run();
    await add('done');
    return result;
  } catch (error) {
    // The first entry remains if this one cannot be added.
    await add('failed').catch(() => {});
    throw error;
  }
}

async function entryWriter(operation: AuditedOperation) {
  const origin = await operatorOrigin(operation.action);
  const { entryActions } = await import('../shared/domain/audit/outbox-entry.ts');
  const { writeTransaction } = await import('../shared/store/transactions.ts');
  const { resource = operation.account ?? null, changes = [] } = operation;
  let at = 0;
  return async (outcome: AuditOutcome) => {
    // Entries are listed by time, to the millisecond.
    at = Math.max(now(), at + 1);
    await writeTransaction(entryActions(scopesOf(operation), origin, { outcome, resource, changes, at }));
  };
}

function scopesOf({ account, mode }: OperationScope): (Owner | 'deployment')[] {
  if (account === undefined) return ['deployment'];
  return (mode === undefined ? modes : [mode]).map((each) => ({ account, mode: each }));
}

/** Returns the ARN of the AWS credentials or, for a table on this machine, the name of the user. */
async function identifyOperator(): Promise<string> {
  if (usesLocalTable(process.env)) return `local:${userInfo().username}`;
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient();
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand());
    if (Arn) return Arn;
    throw new Error('The answer has no ARN.');
  } catch (error) {
    throw new CommandError(
      `AWS did not say whose credentials these are, and the audit log needs it. Nothing was changed. Check the credentials, and that sts:GetCallerIdentity can be called. ${(error as Error).message}`,
    );
  } finally {
    client.destroy();
  }
}
