/**
 * `.local/stack.json`: where the running stack is and which account it came with. The command line finds the
 * stack by it; it stays when the stack ends, so that the next start knows the account.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { SeededAccount } from './seed.ts';
import type { Stack } from './stack.ts';

/** What the file holds. */
export interface StackDescription extends SeededAccount {
  readonly baseUrl: string;
  readonly payUrlBase: string;
  readonly tableName: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly deploymentSecretFile: string;
}

/** The content for a stack and its account. */
export function describeStack(stack: Stack, account: SeededAccount): StackDescription {
  const { baseUrl, payUrlBase, tableName, dynamodbEndpoint, sqsEndpoint, deploymentSecretFile } = stack;
  return { baseUrl, payUrlBase, tableName, dynamodbEndpoint, sqsEndpoint, deploymentSecretFile, ...account };
}

/** Replaces the file in one step; only its owner may read it. */
export async function writeStackFile(file: string, description: StackDescription): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(description, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** The account of an earlier start, or undefined if there is no file or it is damaged. */
export async function readSeededAccount(file: string): Promise<SeededAccount | undefined> {
  try {
    const { accountId, plan, keys } = JSON.parse(await readFile(file, 'utf8')) as Partial<SeededAccount>;
    const complete = [accountId, plan, keys?.test, keys?.live].every(
      (value) => typeof value === 'string' && value,
    );
    return complete ? ({ accountId, plan, keys } as SeededAccount) : undefined;
  } catch {
    return undefined;
  }
}
