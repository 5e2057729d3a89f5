/**
 * `npm run deploy`: deploys both stacks to the account and region of the usual AWS variables. Settings are options;
 * what follows a double dash goes to the CDK's command line as it is.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { repositoryRoot } from '../infra/local/handler.ts';
import { SettingsError, settingNames, settingsOf, stages } from '../infra/settings.ts';

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
  --restored-table-stream-arn ARN on a table that was restored, by the ARN of its stream
  --emulator-endpoint URL         to an emulator of AWS on this machine

Once in each account and region, before the first deployment: npx cdk bootstrap`;

const flags: readonly string[] = ['dashboard', 'waf', 'customerKey'];
const kebabCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

try {
  const [words, rest] = cutAt('--', process.argv.slice(2));
  const context = readSettings(words);
  if (context.stage === undefined) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
  } else {
    settingsOf(context);
    deploy(context, rest);
  }
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

function cutAt(word: string, words: readonly string[]): [string[], string[]] {
  const place = words.includes(word) ? words.indexOf(word) : words.length;
  return [words.slice(0, place), words.slice(place + 1)];
}

/** The settings among the words, by their names in the context. */
function readSettings(words: readonly string[]): Record<string, string | boolean | undefined> {
  const options = settingNames.map(
    (name) => [kebabCase(name), { type: flags.includes(name) ? 'boolean' : 'string' }] as const,
  );
  try {
    const { values } = parseArgs({ args: [...words], options: Object.fromEntries(options) });
    return Object.fromEntries(settingNames.map((name) => [name, values[kebabCase(name)]]));
  } catch (error) {
    throw new SettingsError(`${(error as Error).message}\n\n${usage}`);
  }
}

function deploy(
  context: Readonly<Record<string, string | boolean | undefined>>,
  rest: readonly string[],
): void {
  const given = Object.entries(context).flatMap(([name, value]) =>
    value === undefined ? [] : ['--context', `${name}=${value}`],
  );
  const cdk = spawn('cdk', ['deploy', '--all', ...given, ...rest], { cwd: repositoryRoot, stdio: 'inherit' });
  cdk.on('close', (code) => {
    process.exitCode = code ?? 1;
  });
}
