/**
 * Checks the limits of the AWS account before `npm run deploy` starts. CloudFormation finds them only after minutes, and then
 * undoes everything.
 */
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import * as v from 'valibot';
import { type Settings, stackNameOf } from '../infra/settings.ts';
import { countReserved, unreserved } from '../infra/shares.ts';
import { usageError } from './command.ts';
import { readDeployedStack } from './stack-outputs.ts';

const timeoutMs = 15_000;
const bytesOfGigabyte = 1024 ** 3;
/** The code of all functions has less than 0.1 GB, and each deployment of other code adds as much. */
const fewestFreeBytes = bytesOfGigabyte;

/** https://docs.aws.amazon.com/lambda/latest/api/API_GetAccountSettings.html, with sizes in bytes. */
const accountSettings = v.object({
  AccountLimit: v.object({
    ConcurrentExecutions: v.number(),
    UnreservedConcurrentExecutions: v.number(),
    TotalCodeSize: v.number(),
  }),
  AccountUsage: v.object({ TotalCodeSize: v.number() }),
});

/**
 * Compares the limits of Lambda with the settings. Prints the limits on standard error. An emulator has none.
 * @throws CommandError (usage) if a deployment with these settings would fail. The message says what to do.
 */
export async function checkLimits(settings: Settings): Promise<void> {
  if (settings.emulatorEndpoint !== undefined) return;
  const found = await readLambdaSettings();
  if ('problem' in found) {
    process.stderr.write(
      `Warning: the limits of Lambda in this account and region are not known, because ${found.problem}. A new account runs 10 functions at once: then add --concurrency 10.\n`,
    );
    return;
  }
  const { AccountLimit: limit, AccountUsage: usage } = found;
  process.stderr.write(
    `Limits of Lambda in this account and region: ${limit.ConcurrentExecutions} concurrent executions, ${limit.UnreservedConcurrentExecutions} of them not reserved.\n`,
  );
  const freeBytes = limit.TotalCodeSize - usage.TotalCodeSize;
  if (freeBytes < fewestFreeBytes)
    process.stderr.write(
      `Warning: only ${(freeBytes / bytesOfGigabyte).toFixed(1)} GB are free for the code of functions. Delete old versions of functions, or ask AWS for more (Service Quotas, AWS Lambda, function and layer storage).\n`,
    );
  await requireConcurrency(settings, limit);
}

/** @throws CommandError (usage) if the account allows less than the settings need */
async function requireConcurrency(
  settings: Settings,
  {
    ConcurrentExecutions,
    UnreservedConcurrentExecutions,
  }: v.InferOutput<typeof accountSettings>['AccountLimit'],
): Promise<void> {
  const { concurrency, canary } = settings;
  if (concurrency > ConcurrentExecutions)
    throw usageError(
      `The settings expect ${concurrency} concurrent executions, but this account allows ${ConcurrentExecutions} in this region, so the deployment would fail. Add --concurrency ${ConcurrentExecutions}. ${askForMore}`,
    );
  const needed = countReserved(concurrency, canary) + unreserved;
  // An earlier deployment has reserved its part already.
  if (needed <= UnreservedConcurrentExecutions || countReserved(concurrency, canary) === 0) return;
  if (await readDeployedStack(stackNameOf(settings, 'stateless')).catch(ignoreAccessDenied)) return;
  throw usageError(
    `Other functions reserve executions, so ${UnreservedConcurrentExecutions} are left, and the deployment needs ${needed}. Add --concurrency ${Math.max(10, UnreservedConcurrentExecutions)}. ${askForMore}`,
  );
}

/** The code of the quota: https://docs.aws.amazon.com/general/latest/gr/lambda-service.html */
const askForMore =
  'For production, ask AWS for 1000 or more, which is free and takes a few days: aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000';

function ignoreAccessDenied(error: Error): true {
  if (!error.name.startsWith('AccessDenied')) throw error;
  return true;
}

/** Reads the settings of the account from Lambda, with the region and the credentials of the environment. */
async function readLambdaSettings(): Promise<v.InferOutput<typeof accountSettings> | { problem: string }> {
  const { config, destroy } = createClient();
  try {
    const region = await config.region();
    const url = new URL('/2016-08-19/account-settings/', endpointOf(region));
    const signer = new SignatureV4({
      credentials: config.credentials,
      region,
      service: 'lambda',
      sha256: Sha256,
    });
    const { headers } = await signer.sign(
      new HttpRequest({
        method: 'GET',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        headers: { host: url.host },
      }),
    );
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    const { success, output } = v.safeParse(accountSettings, await response.json().catch(() => undefined));
    if (success) return output;
    const isDenied = response.status === 403;
    return {
      problem: isDenied
        ? 'the credentials may not call lambda:GetAccountSettings'
        : `Lambda answered with status ${response.status}`,
    };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    return { problem: `Lambda did not answer: ${cause?.message ?? message}` };
  } finally {
    destroy();
  }
}

/** The client of the SDK finds the region and the credentials in the environment. */
function createClient() {
  const client = new APIGatewayClient();
  return { config: client.config, destroy: () => client.destroy() };
}

/** Returns the endpoint of Lambda, or the one that the usual variables of the SDK name. */
function endpointOf(region: string): string {
  const { AWS_ENDPOINT_URL_LAMBDA, AWS_ENDPOINT_URL } = process.env;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return AWS_ENDPOINT_URL_LAMBDA || AWS_ENDPOINT_URL || `https://lambda.${region}.${domain}`;
}
