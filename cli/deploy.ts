/**
 * `npm run deploy`: deploys both stacks to the account and region of the usual AWS variables. Settings are options;
 * what follows a double dash goes to the CDK's command line as it is.
 */
import { parseArgs } from 'node:util';
import { SettingsError, settingNames, settingsOf, stages } from '../infra/settings.ts';
import { contextWords, endWith, runCdk } from './cdk.ts';
import { usageError } from './command.ts';

const usage = `Usage: npm run deploy -- --stage ${stages.join('|')} [SETTINGS] [-- OPTIONS OF cdk deploy]

  --stage STAGE                   prod keeps its data whatever happens to the stacks; the others are deleted with them
  --domain-name NAME              the API's address in place of the gateway's own, with
  --certificate-arn ARN           its certificate, in the region of the deployment
  --pay-url-base URL              where payers go, if that is not /pay under the API's address
  --alarm-email ADDRESS           who is told of alarms
  --dashboard                     with a dashboard and saved log queries
  --waf                           with a web application firewall
  --customer-key                  encrypted under a key of the account's own
  --webhook-allowed-ranges CIDRS  private ranges that webhooks may be sent to
  --no-reserved-concurrency       for an AWS account that may run 10 functions at once only, as new ones may
  --restored-table-stream-arn ARN on a table that was restored, by the ARN of its stream

Once in each account and region, before the first deployment: npx cdk bootstrap`;

const flags: readonly string[] = ['dashboard', 'waf', 'customerKey', 'noReservedConcurrency'];
const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Context = Readonly<Record<string, string | boolean | undefined>>;

async function deploy(all: readonly string[]): Promise<void> {
  const [words, rest] = cutAt('--', all);
  const context = readContext(words);
  if (context.stage === undefined) throw usageError(usage);
  await runCdk(['deploy', '--all', ...contextWords(context), ...rest]);
}

function cutAt(word: string, words: readonly string[]): [string[], string[]] {
  const place = words.includes(word) ? words.indexOf(word) : words.length;
  return [words.slice(0, place), words.slice(place + 1)];
}

/** The settings among the words, by their names in the context. The emulator has a command of its own. */
function readContext(words: readonly string[]): Context {
  const names = settingNames.filter((name) => name !== 'emulatorEndpoint');
  const options = names.map(
    (name) => [kebabCase(name), { type: flags.includes(name) ? 'boolean' : 'string' }] as const,
  );
  let values: Context;
  try {
    values = parseArgs({ args: [...words], options: Object.fromEntries(options) }).values;
  } catch (error) {
    throw usageError(`${(error as Error).message}\n\n${usage}`);
  }
  const context = Object.fromEntries(names.map((name) => [name, values[kebabCase(name)]]));
  try {
    settingsOf(context);
  } catch (error) {
    throw error instanceof SettingsError ? usageError(error.message) : error;
  }
  return context;
}

await endWith(deploy(process.argv.slice(2)));
