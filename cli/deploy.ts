/**
 * Deploys the stacks to the account and region of the usual AWS variables (`npm run deploy`). Each setting is an
 * option, or is in the settings file. Arguments after `--` go unchanged to `cdk deploy`.
 *
 * The order is: settings, credentials, changed settings, synthesis, differences, confirmation if data would be lost, deployment. If the deployment
 * creates a dashboard or a canary whose address AWS chooses, a second one lets the functions know it.
 */
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { repositoryRoot } from '../infra/local/handler.ts';
import { isLoopback } from '../infra/loopback.ts';
import { foundSettings, parseSettings, settingNames, stackNameOf, stages } from '../infra/settings.ts';
import { checkLimits } from './account-limits.ts';
import { checkAccount, requireOtherRegion } from './aws-account.ts';
import { contextArguments, exitWithOutcome, readCdk, runCdk } from './cdk.ts';
import { usageError } from './command.ts';
import { findDataLoss } from './data-loss.ts';
import { warningsOf } from './deploy-warnings.ts';
import {
  deploymentSteps,
  findExistingStacks,
  findOwnHosts,
  warnOfDeployedStacks,
} from './deployed-stacks.ts';
import { reportChangedSettings, withSettingsFile } from './deployment-settings.ts';
import { readEmulatorEndpoint } from './emulator.ts';
import { useProxyOfEnvironment } from './proxy.ts';
import { reportReleases } from './running-release.ts';
import { requireSameTable } from './same-table.ts';
import { ask, isInteractive } from './terminal.ts';

const usage = `Usage: npm run deploy -- --stage ${stages.join('|')} [SETTINGS] [-- OPTIONS OF cdk deploy]

The settings file remit.config.ts can have the settings of each stage. An option replaces the setting of the file. A setting
that is in neither has its default, also if the last deployment had another value. The command names each difference to it.

  --stage STAGE                    dev and staging lose their data when their stacks are deleted. prod keeps its data.
  --name NAME                      Name of a second installation of a stage in the same account and region.
  --domain-name NAME               Custom domain of the API. Requires --certificate-arn.
  --certificate-arn ARN            Certificate of the domain, in the region of the deployment.
  --default-endpoint               Keep the gateway's own address in use beside the custom domain.
  --pay-url-base URL               Base URL of payment pages. Default: /pay under the API's URL.
  --alarm-email ADDRESS            Recipient of alarms. Without it there are no alarms.
  --runbook-url URL                Address of docs/operate, which alarms link to. Default: the path in the repository.
  --security-contact CONTACT       E-mail address or https URL for reports of vulnerabilities, in /.well-known/security.txt.
  --mail-from ADDRESS              Address from which mails come. Makes an identity of its domain in Amazon SES, and prints
                                   the DNS records that verify it. Without it no mail is sent.
  --mail-identity NAME             Identity in Amazon SES that exists, for this address. The stacks never change it.
  --mails-per-day NUMBER           Mails that an account and mode sends in a day at most. Default: 500. Requires --mail-from.
  --backup-region REGION           Region that gets a daily copy of the table, and a replica of the deployment secret.
                                   Prepare it first: npx cdk bootstrap aws://ACCOUNT/REGION
  --canary                         Use the API every five minutes, and raise an alarm if it does not work. Then run:
                                   npx remit canary enable
  --metrics-dashboard, --no-metrics-dashboard
                                   Add a dashboard of CloudWatch and saved log queries, or none. prod has them unless you
                                   choose --no-metrics-dashboard.
  --no-dashboard                   Leave out the dashboard, in which people sign in to see and change an account.
  --dashboard-domain NAME          Custom domain of the dashboard. Requires --dashboard-certificate-arn.
  --dashboard-certificate-arn ARN  Certificate of that domain, in the region of the deployment.
  --oidc-issuer URL                Issuer at which users of the dashboard sign in. Requires --oidc-client-id. Default: a
                                   user pool of Amazon Cognito that the deployment creates.
  --oidc-client-id ID              Id of the dashboard at the issuer: a public client with PKCE.
  --oidc-acr VALUES                How users must have signed in at the issuer: one of these values in the claim acr.
  --oidc-amr VALUES                The same for the claim amr, for example "mfa".
  --waf, --no-waf                  Add a web application firewall, or none. prod has one unless you choose --no-waf.
  --dashboard-waf, --no-dashboard-waf
                                   Add a firewall of the dashboard, or none. Default: one if the API has one.
  --gradual-deployment, --no-gradual-deployment
                                   Replace the functions gradually with CodeDeploy, or at once. staging and prod do so
                                   gradually unless you choose --no-gradual-deployment, as for an emulator.
  --customer-key                   Encrypt data with a customer-managed key.
  --webhook-allowed-ranges CIDRS   Private address ranges that webhook endpoints may use.
  --webhook-allowed-ports PORTS    Ports that webhook endpoints may use besides the usual ones of web servers.
  --event-queue ARN,ARN            SQS queues to which webhook endpoints can send.
  --event-bus ARN,ARN              EventBridge buses to which they can send.
  --event-function ARN,ARN         Lambda functions that they can invoke.
  --concurrency NUMBER             Concurrent executions that the AWS account allows. Default: 1000. New accounts have 10.
  --aws-calls direct|sdk           How the functions call AWS. Default: direct. The SDK takes twice the CPU.
  --permissions-boundary ARN       Managed policy that bounds the permissions of each role of the stacks.
  --role-path PATH                 Path of these roles, for example /remit/. Default: /
  --tags KEY=VALUE,KEY=VALUE       Tags of all resources.
  --restored-table-stream-arn ARN  Stream of the restored table. Deploys the service on this table.
  --existing-table ARN             Stream of a table that other stacks left behind. Requires the secrets.
  --existing-secret ARN            Deployment secret of the existing table.
  --existing-webhook-secret ARN    Webhook secret of the existing table.
  --existing-provider-secret ARN   Provider secret of the existing table.
  --existing-audit-secret ARN      Audit secret of the existing table.
  --gateway-log-role, --no-gateway-log-role
                                   Create the role with which API Gateway writes logs, or do not. It belongs to the whole
                                   AWS account and region. Default: create it if it does not exist.
  --go-back                        Return to an earlier release: deploy the dashboard first, then the functions, then the rest.
  --allow-data-loss                Replace or delete resources with data without a question, or make an empty table beside
                                   one that deleted stacks left behind.

Before the first deployment in an account and region, run: npx cdk bootstrap`;

const flags: readonly string[] = [
  'canary',
  'metricsDashboard',
  'dashboard',
  'waf',
  'dashboardWaf',
  'gradualDeployment',
  'customerKey',
  'gatewayLogRole',
  'defaultEndpoint',
];
/** The flags that can also be switched off: `--no-waf`. */
const negatable = [
  'metricsDashboard',
  'dashboard',
  'waf',
  'dashboardWaf',
  'gradualDeployment',
  'gatewayLogRole',
];
const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const optionOf = (name: string) => `--${kebabCase(name)}`;

type Context = Record<string, unknown>;

interface DeployOptions {
  /** The settings, by their names in the CDK context. */
  readonly context: Context;
  readonly allowDataLoss: boolean;
  /** Whether an earlier release replaces a later one. */
  readonly goBack: boolean;
}

async function deploy(args: readonly string[]): Promise<void> {
  const [settingArguments, cdkArguments] = splitAt('--', args);
  const { context: options, allowDataLoss, goBack } = readOptions(settingArguments);
  if (options.stage === undefined) throw usageError(usage);
  const given = await withSettingsFile(options, optionOf);
  const context: Context = { ...given, ...emulatorSetting(process.env) };
  for (const warning of warningsOf(context)) process.stderr.write(`Warning: ${warning}\n`);
  const profile = parseArgs({ args: cdkArguments, options: { profile: { type: 'string' } }, strict: false });
  if (typeof profile.values.profile === 'string') process.env.AWS_PROFILE = profile.values.profile;
  await useProxyOfEnvironment();
  const stackName = stackNameOf(parseSettings(context), 'stateless');
  const gatewayLogRole = await checkAccount(stackName, requestedLogRole(context));
  if (typeof context.backupRegion === 'string') await requireOtherRegion(context.backupRegion);
  await checkLimits(parseSettings(context));
  await requireSameTable(context, allowDataLoss);
  await warnOfDeployedStacks(context);
  await reportChangedSettings(context, optionOf);
  const app = join(repositoryRoot, 'cdk.out');
  const synthesize = (hosts: Context) =>
    runCdk([
      ...['synth', '--quiet', '--output', app],
      ...contextArguments({ ...context, gatewayLogRole, ...hosts }),
    ]);
  const hosts = await findOwnHosts(context);
  await synthesize(hosts);
  await reportReleases(app, parseSettings(context));
  const losses = await findLosses(app);
  if (losses.length > 0 && !allowDataLoss) await confirmDataLoss(losses, context.stage);
  for (const stacks of deploymentSteps(await findExistingStacks(app), goBack))
    await runCdk(['deploy', '--app', app, ...stacks, ...cdkArguments]);
  const newHosts = await findOwnHosts(context);
  if (isDeepStrictEqual(hosts, newHosts)) return;
  process.stderr.write(
    '\nThe functions that call webhook endpoints learn the new addresses of the dashboard and the canary.\n',
  );
  await synthesize(newHosts);
  await runCdk(['deploy', '--app', app, '--all', ...cdkArguments]);
}

/** Returns undefined if neither the options nor the file say whether the deployment creates the log role. */
const requestedLogRole = (context: Context) =>
  context.gatewayLogRole === undefined ? undefined : parseSettings(context).gatewayLogRole;

/** Without the endpoint of the emulator, the functions would give out addresses of AWS. */
function emulatorSetting(environment: NodeJS.ProcessEnv): Context {
  const { AWS_ENDPOINT_URL } = environment;
  return URL.canParse(AWS_ENDPOINT_URL ?? '') && isLoopback(AWS_ENDPOINT_URL ?? '')
    ? { emulatorEndpoint: readEmulatorEndpoint(environment) }
    : {};
}

/** Shows the differences to the stacks that exist. Only these have data, and `cdk diff` fails for others if they have nested stacks. */
async function findLosses(app: string): Promise<string[]> {
  const existing = await findExistingStacks(app);
  if (existing.length === 0) return [];
  return findDataLoss(await readCdk(['diff', '--app', app, '--exclusively', ...existing]));
}

/** Asks for the name of the stage. @throws CommandError if the answer is different, or if nobody can answer */
async function confirmDataLoss(losses: readonly string[], stage: unknown): Promise<void> {
  process.stderr.write(`\nThis deployment loses data:\n${losses.map((line) => `  ${line}\n`).join('')}`);
  if (!isInteractive()) throw usageError('Nothing was deployed. To deploy anyway, add --allow-data-loss.');
  const answer = await ask(`Enter the stage ${stage} to deploy anyway: `);
  if (answer !== stage) throw usageError('The answer is not the stage. Nothing was deployed.');
}

function splitAt(separator: string, args: readonly string[]): [string[], string[]] {
  const index = args.includes(separator) ? args.indexOf(separator) : args.length;
  return [args.slice(0, index), args.slice(index + 1)];
}

/** Reads the options, without the validation of the settings. */
function readOptions(args: readonly string[]): DeployOptions {
  const names = settingNames.filter((name) => !(foundSettings as readonly string[]).includes(name));
  const options = names.map(
    (name) => [kebabCase(name), { type: flags.includes(name) ? 'boolean' : 'string' }] as const,
  );
  let values: Record<string, string | boolean | undefined>;
  try {
    const others = ['allow-data-loss', 'go-back', ...negatable.map((name) => `no-${kebabCase(name)}`)].map(
      (name) => [name, { type: 'boolean' }] as const,
    );
    values = parseArgs({ args: [...args], options: Object.fromEntries([...options, ...others]) }).values;
  } catch (error) {
    throw usageError(`${(error as Error).message}\n\n${usage}`);
  }
  const context = Object.fromEntries(names.map((name) => [name, values[kebabCase(name)]]));
  for (const name of negatable) {
    const option = kebabCase(name);
    if (!values[`no-${option}`]) continue;
    if (context[name]) throw usageError(`Use --${option} or --no-${option}, not both.\n\n${usage}`);
    context[name] = false;
  }
  return { context, allowDataLoss: values['allow-data-loss'] === true, goBack: values['go-back'] === true };
}

await exitWithOutcome(deploy(process.argv.slice(2)));
