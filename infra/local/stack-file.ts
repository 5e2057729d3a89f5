/**
 * Reads and writes `.local/stack.json`, which contains the endpoints of the local stack and its account. The command
 * line uses it to find the stack. The file stays after the stack stops, so the next start can reuse the account.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { DoubleUrls } from './double-urls.ts';
import type { SeededAccount } from './seed.ts';
import type { Stack } from './stack.ts';

/** The content of the file. */
export interface StackDescription extends SeededAccount {
  readonly baseUrl: string;
  readonly payUrlBase: string;
  readonly dashboardUrl: string;
  readonly tableName: string;
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  readonly bucketName: string;
  readonly deploymentSecretFile: string;
  /** The page with the mails that the double of Amazon SES has accepted. */
  readonly mailUrl: string;
  /** The doubles of the payment providers, if they run. */
  readonly providerDoubles?: DoubleUrls | undefined;
}

/** Returns the content for a stack and its account. */
export function describeStack(
  stack: Stack,
  account: SeededAccount,
  providerDoubles?: DoubleUrls,
): StackDescription {
  const { baseUrl, payUrlBase, tableName, dynamodbEndpoint, sqsEndpoint, deploymentSecretFile } = stack;
  const { s3Endpoint, bucketName } = stack;
  const dashboardUrl = stack.dashboard?.url ?? '';
  return {
    baseUrl,
    payUrlBase,
    dashboardUrl,
    tableName,
    dynamodbEndpoint,
    sqsEndpoint,
    s3Endpoint,
    bucketName,
    deploymentSecretFile,
    mailUrl: stack.mail.url,
    providerDoubles,
    ...account,
  };
}

/** Replaces the file atomically. Only its owner can read it. */
export async function writeStackFile(file: string, description: StackDescription): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(description, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Returns the account of an earlier start, or undefined if the file is missing or damaged. */
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
