/** Defines `remit canary`: sets up the canary of a deployment, and runs it once. */
import { Remit } from '../client/src/remit.ts';
import { isLoopback } from '../infra/loopback.ts';
import { type StackKind, stackNameOf } from '../infra/settings.ts';
import { type CanaryRun, canaryEventType, runCanary } from '../shared/operations/canary/run-canary.ts';
import { apiHelp, connectApi } from './api-connection.ts';
import { setUpCanary } from './canary-setup.ts';
import {
  type CliCommand,
  CommandError,
  type CommandGroup,
  type CommandResult,
  usageError,
} from './command.ts';
import { type Deployment, deploymentOptions, readDeploymentOptions } from './deployment.ts';
import { deleteStaleEndpoints, endpointDescription } from './listen-directly.ts';
import { startEventReceiver } from './receiver.ts';
import { connectTable, withDeploymentOptions } from './table-connection.ts';
import { showProgress } from './terminal.ts';

const runTimeoutMs = 60_000;

const { enable } = withDeploymentOptions({
  enable: {
    about: 'Create the account, the key and the webhook endpoint of a deployed canary.',
    details: `Deploy with --canary first. The command stores the key and the webhook secret in Secrets Manager, and prints neither.

Run it again at any time: it replaces the key and the endpoint. If it was interrupted, run it again.`,
    examples: ['npx remit canary enable --stage prod'],
    run: async (options) => {
      const deployment = requireDeployment(await readDeploymentOptions(options));
      await connectTable();
      const { ApiUrl: baseUrl } = await readOutputs(deployment, 'stateless', ['ApiUrl']);
      const { SecretArn, ReceiverUrl: receiverUrl } = await readOutputs(deployment, 'canary', [
        'SecretArn',
        'ReceiverUrl',
      ]);
      const { readCanaryConfig, writeCanaryConfig } = await loadSecretStore();
      const { accountId, keyId, webhookId } = await setUpCanary({
        baseUrl,
        receiverUrl,
        read: () => readCanaryConfig(SecretArn),
        write: (config) => writeCanaryConfig(SecretArn, config),
      });
      const rows = [
        ['account', accountId],
        ['key', keyId],
        ['webhook', webhookId],
      ];
      return {
        json: { accountId, keyId, webhookId },
        table: { rows },
        text: `The canary is enabled. To run it now: npx remit canary run ${selectionOf(deployment)}`,
      };
    },
  },
});

const run: CliCommand = {
  about: 'Use the API once as a client and a payer do, in test mode, and show each step.',
  details: `The run creates an invoice, retrieves it, pays it on its payment page with a test card, and waits for the webhook. The
exit code is 1 if a step fails.

With --stage, it uses the key and the webhook endpoint of the deployed canary. Otherwise: ${apiHelp}

On the local stack, the command receives the webhook itself. It cannot do that for another service without --stage, so it
skips this step.`,
  options: deploymentOptions,
  examples: ['npx remit canary run', 'npx remit canary run --stage prod', 'npx remit canary run --json'],
  run: async (options) => {
    const deployment = await readDeploymentOptions(options);
    showProgress('Running the canary');
    return toResult(deployment ? await runDeployed(deployment) : await runHere());
  },
};

export const canaryCommands: CommandGroup = {
  about: 'Set up the canary of a deployment, and run it.',
  details: 'The canary uses the API as a client and a payer do, and finds out whether it works.',
  commands: { enable, run },
};

/** Loads the AWS SDK only in the commands that need it, because each command of the program loads this file. */
const loadSecretStore = () => import('./canary-secret.ts');

const runWithLimit = (remit: Remit, webhookId?: string) =>
  runCanary({ remit, webhookId, signal: AbortSignal.timeout(runTimeoutMs) });

/** Runs the canary with the stored configuration of the deployment. */
async function runDeployed(deployment: Deployment): Promise<CanaryRun> {
  const { SecretArn } = await readOutputs(deployment, 'canary', ['SecretArn']);
  const { readCanaryConfig } = await loadSecretStore();
  const config = await readCanaryConfig(SecretArn);
  if (!config)
    throw new CommandError(
      `The canary is not enabled yet. Run npx remit canary enable ${selectionOf(deployment)}.`,
    );
  const { apiKey, baseUrl, webhookId } = config;
  return runWithLimit(new Remit({ apiKey, baseUrl }), webhookId);
}

/** Runs the canary on the service of the environment. Receives the webhook if the service is on this machine. */
async function runHere(): Promise<CanaryRun> {
  const { remit, isLive, baseUrl } = await connectApi();
  if (isLive) throw usageError('This is a live key. The canary works only in test mode. Use a test key.');
  if (!isLoopback(baseUrl)) return runWithLimit(remit);
  const receiver = await startEventReceiver({ forwardTo: undefined, json: false, print: () => {} });
  try {
    const endpoint = await registerEndpoint(remit, receiver.url).catch((error: Error) => error);
    if (endpoint instanceof Error) {
      // If the service does not work at all, the first step shows it.
      const result = await runWithLimit(remit);
      if (result.succeeded) throw endpoint;
      return result;
    }
    receiver.setSecret(endpoint.secret);
    const result = await runWithLimit(remit, endpoint.id);
    // If this fails, the next run deletes the endpoint.
    await remit.webhooks.delete(endpoint.id).catch(() => {});
    return result;
  } finally {
    await receiver.close();
  }
}

/** Registers the endpoint of this process. Deletes the endpoints of processes that were killed. */
async function registerEndpoint(remit: Remit, url: string): Promise<{ id: string; secret: string }> {
  await deleteStaleEndpoints(remit);
  const description = endpointDescription(process.pid);
  return remit.webhooks.create({ url, events: [canaryEventType], description });
}

function toResult(run: CanaryRun): CommandResult {
  const rows = run.steps.map(({ step, outcome, durationMs, error }) => [
    step,
    outcome,
    durationMs === undefined ? '' : `${durationMs} ms`,
    error ?? '',
  ]);
  const failed = run.steps.find(({ outcome }) => outcome === 'failed');
  const skipsDelivery = run.succeeded && run.steps.some(({ outcome }) => outcome === 'skipped');
  const text = failed
    ? `The canary failed at the step ${failed.step}.`
    : `The canary succeeded.${skipsDelivery ? ' It did not check webhooks, because they cannot reach this machine.' : ''}`;
  return {
    json: run,
    table: { headers: ['STEP', 'OUTCOME', 'DURATION', 'ERROR'], rows },
    text,
    failed: !run.succeeded,
  };
}

/** Returns the options that select the deployment. */
const selectionOf = ({ stage, name }: Deployment) =>
  `--stage ${stage}${name === undefined ? '' : ` --installation ${name}`}`;

function requireDeployment(deployment: Deployment | undefined): Deployment {
  if (deployment) return deployment;
  throw usageError(
    '--stage is required. On the local stack, run npx remit canary run, which needs no setup.',
  );
}

/**
 * Reads outputs of a stack of the deployment.
 * @throws CommandError if the stack does not exist, or has not all of them
 */
async function readOutputs<Name extends string>(
  deployment: Deployment,
  kind: StackKind,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const { readDeployedStack } = await import('./stack-outputs.ts');
  const stackName = stackNameOf(deployment, kind);
  const stack = await readDeployedStack(stackName);
  const entries = names.flatMap((name) => {
    const value = stack?.outputs[name];
    return value ? [[name, value] as const] : [];
  });
  if (entries.length === names.length) return Object.fromEntries(entries) as Record<Name, string>;
  throw new CommandError(
    `The stack ${stackName} does not exist, or its deployment has not ended. Deploy with --canary first, and check --stage, --installation and --region.`,
  );
}
