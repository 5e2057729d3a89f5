/** Starts a stack in a process of its own, kills it with SIGKILL, and starts it again on the same table and port. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalDoubles } from '../../../infra/local/doubles.ts';
import type { Mode, Owner } from '../../../shared/base/ids.ts';
import type { Instant } from '../../../shared/base/time.ts';
import type {
  HostedProviderName,
  ProviderCredentials,
} from '../../../shared/domain/payments/provider/hosted-provider.ts';
import type { DueTimers } from '../checkout-books.ts';
import { startDynamodbInMemory } from '../shared-dynamodb.ts';
import { sharedEndpoints } from '../shared-servers.ts';

export interface StackProcessOptions {
  readonly port: number;
  readonly tableName: string;
  readonly dynamodb: string;
  readonly deploymentSecretFile: string;
  readonly now: Instant;
  readonly credentials: Readonly<Record<HostedProviderName, Readonly<Record<Mode, ProviderCredentials>>>>;
}

export interface NewMerchant {
  readonly owner: Owner;
  readonly apiKey: string;
}

/** The calls to the process of the stack: their arguments and their results. */
export interface StackCall {
  advanceTo: [[now: Instant], undefined];
  newMerchant: [[provider: HostedProviderName], NewMerchant];
  work: [[], DueTimers];
  reconcileDay: [[owner: Owner], undefined];
  findDifferences: [[owner: Owner, since: Instant], string[]];
}

/** The process ended before it answered. */
export class StackKilledError extends Error {
  override readonly name = 'StackKilledError';
}

export interface KillableStack {
  readonly baseUrl: string;
  readonly tableName: string;
  readonly dynamodbEndpoint: string;
  /** How often the stack was killed. */
  readonly kills: number;
  /** @throws StackKilledError if the stack is killed before it answers */
  call<Name extends keyof StackCall>(name: Name, ...args: StackCall[Name][0]): Promise<StackCall[Name][1]>;
  /** Kills the process at once. */
  kill(): void;
  /** Starts the process again if it was killed. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

/** @param now the clock of the test, which the stack gets whenever it starts */
export async function startKillableStack(
  { stripe, razorpay }: LocalDoubles,
  now: () => Instant,
): Promise<KillableStack> {
  const directory = await mkdtemp(join(tmpdir(), 'remit-test-'));
  const dynamodb = await openDynamodb();
  const fixed = {
    tableName: `test-${randomUUID()}`,
    dynamodb: dynamodb.endpoint,
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
    credentials: { stripe: stripe.credentials, razorpay: razorpay.credentials },
  };
  const start = (port: number) =>
    startProcess(
      { ...fixed, port, now: now() },
      { STRIPE_API_URL: stripe.url, RAZORPAY_API_URL: razorpay.url },
    );
  let process = await start(0);
  const { baseUrl } = process;
  let kills = 0;
  return {
    baseUrl,
    tableName: fixed.tableName,
    dynamodbEndpoint: fixed.dynamodb,
    get kills() {
      return kills;
    },
    call: (name, ...args) => process.call(name, args) as never,
    kill: () => {
      if (process.child.kill('SIGKILL')) kills++;
    },
    revive: async () => {
      if (!process.child.killed) return;
      await process.ended;
      process = await start(Number(new URL(baseUrl).port));
    },
    close: async () => {
      process.child.kill('SIGKILL');
      await process.ended;
      await dynamodb.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The DynamoDB of the test run has no indexes if the machine lacks the memory. */
async function openDynamodb(): Promise<{ readonly endpoint: string; readonly close: () => Promise<void> }> {
  const shared = sharedEndpoints().indexedDynamodb;
  if (shared !== undefined) return { endpoint: shared, close: async () => {} };
  return startDynamodbInMemory();
}

/** The error of a call to a process that has ended. */
const endOf = ({ killed }: ChildProcess): Error =>
  killed ? new StackKilledError('The stack was killed.') : new Error('The stack has ended by itself.');

interface StackProcess {
  readonly child: ChildProcess;
  readonly baseUrl: string;
  readonly ended: Promise<unknown>;
  readonly call: (name: string, args: readonly unknown[]) => Promise<unknown>;
}

async function startProcess(
  options: StackProcessOptions,
  urls: Readonly<Record<string, string>>,
): Promise<StackProcess> {
  const child = fork(join(import.meta.dirname, 'stack-process.ts'), [JSON.stringify(options)], {
    env: { ...process.env, ...urls },
    execArgv: [],
  });
  const ended = once(child, 'exit');
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let count = 0;
  const begun = new Promise<string>((resolve, reject) => {
    child.on('message', (message: { number: number; baseUrl?: string; value?: unknown; error?: string }) => {
      if (message.baseUrl !== undefined) return resolve(message.baseUrl);
      const { number, value, error } = message;
      if (error === undefined) waiting.get(number)?.resolve(value);
      else waiting.get(number)?.reject(new Error(error));
      waiting.delete(number);
    });
    child.on('exit', () => {
      reject(endOf(child));
      for (const { reject: rejectCall } of waiting.values()) rejectCall(endOf(child));
      waiting.clear();
    });
  });
  const call = (name: string, args: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      if (child.killed || !child.connected) return reject(endOf(child));
      waiting.set(++count, { resolve, reject });
      child.send({ number: count, name, args }, () => {});
    });
  return { child, baseUrl: await begun, ended, call };
}
