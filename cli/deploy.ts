/**
 * Deploys both stacks to the account and region of the usual AWS variables (`npm run deploy`). Each setting is an
 * option. Arguments after `--` go unchanged to `cdk deploy`.
 */
import { parseArgs } from 'node:util';
import { parseSettings, SettingsError, settingNames, stages } from '../infra/settings.ts';
import { contextArguments, exitWithOutcome, runCdk } from './cdk.ts';
import { usageError } from './command.ts';
import { requireSameTable } from './same-table.ts';

const usage = `Usage: npm run deploy -- --stage ${stages.join('|')} [SETTINGS] [-- OPTIONS OF cdk deploy]

  --stage STAGE                    dev and staging lose their data when their stacks are deleted. prod keeps its data.
  --name NAME                      Name of a second installation of a stage in the same account and region.
  --domain-name NAME               Custom domain of the API. Requires --certificate-arn.
  --certificate-arn ARN            Certificate of the domain, in the region of the deployment.
  --pay-url-base URL               Base URL of payment pages. Default: /pay under the API's URL.
  --alarm-email ADDRESS            Recipient of alarms. Without it there are no alarms.
  --dashboard                      Add a dashboard and saved log queries.
  --waf, --no-waf                  Add a web application firewall, or none. prod has one unless you choose --no-waf.
  --customer-key                   Encrypt data with a customer-managed key.
  --webhook-allowed-ranges CIDRS   Private address ranges that webhook endpoints may use.
  --no-reserved-concurrency        Reserve no concurrency. Use it if the AWS account allows only 10 concurrent functions.
  --restored-table-stream-arn ARN  Stream of the restored table. Deploys the service on this table.
  --existing-table ARN             Stream of a table that other stacks left behind. Requires --existing-secret.
  --existing-secret ARN            Deployment secret of the existing table.

Before the first deployment in an account and region, run: npx cdk bootstrap`;

const flags: readonly string[] = ['dashboard', 'waf', 'customerKey', 'noReservedConcurrency'];
const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Context = Readonly<Record<string, string | boolean | undefined>>;

async function deploy(args: readonly string[]): Promise<void> {
  const [settingArguments, cdkArguments] = splitAt('--', args);
  if (cdkArguments.some((argument) => /^--profile\b/.test(argument)))
    throw usageError('Set AWS_PROFILE instead of --profile, because not only cdk uses the credentials.');
  const context = readContext(settingArguments);
  if (context.stage === undefined) throw usageError(usage);
  if (context.stage === 'prod' && context.alarmEmail === undefined) {
    process.stderr.write('Warning: without --alarm-email, nobody learns of a failure. Set it for prod.\n');
  }
  await requireSameTable(context);
  await runCdk(['deploy', '--all', ...contextArguments(context), ...cdkArguments]);
}

function splitAt(separator: string, args: readonly string[]): [string[], string[]] {
  const index = args.includes(separator) ? args.indexOf(separator) : args.length;
  return [args.slice(0, index), args.slice(index + 1)];
}

/** Reads the settings, by their names in the CDK context. `deploy-emulator.ts` sets the setting of the emulator. */
function readContext(args: readonly string[]): Context {
  const names = settingNames.filter((name) => name !== 'emulatorEndpoint');
  const options = names.map(
    (name) => [kebabCase(name), { type: flags.includes(name) ? 'boolean' : 'string' }] as const,
  );
  let values: Context;
  try {
    const negated = [['no-waf', { type: 'boolean' }]] as const;
    values = parseArgs({ args: [...args], options: Object.fromEntries([...options, ...negated]) }).values;
  } catch (error) {
    throw usageError(`${(error as Error).message}\n\n${usage}`);
  }
  if (values.waf && values['no-waf']) throw usageError(`Use --waf or --no-waf, not both.\n\n${usage}`);
  const context = Object.fromEntries(names.map((name) => [name, values[kebabCase(name)]]));
  if (values['no-waf']) context.waf = false;
  try {
    parseSettings(context);
  } catch (error) {
    throw error instanceof SettingsError ? usageError(error.message) : error;
  }
  return context;
}

await exitWithOutcome(deploy(process.argv.slice(2)));
