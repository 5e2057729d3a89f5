/**
 * Defines and validates the deployment settings, which come from the CDK context. An invalid setting stops the
 * deployment before it creates anything, with a message that says what a valid value is.
 */
import * as v from 'valibot';
import { requireCidrRanges } from '../shared/outbound/address.ts';
import { isLoopback } from './loopback.ts';

export const stages = ['dev', 'staging', 'prod'] as const;

/** Names of installations. The length leaves room in the names that AWS derives from the names of the stacks. */
export const installationPattern = /^[a-z][a-z0-9-]{0,19}$/;

const flag = v.pipe(
  v.unknown(),
  v.check((value) => /^(true|false)$/.test(String(value)), 'must be true or false'),
  v.transform((value) => String(value) === 'true'),
);
const pattern = (expression: RegExp, message: string) =>
  v.pipe(v.string(message), v.regex(expression, message));
const secretArn = pattern(
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/,
  'must be the ARN of a secret, with the six characters at its end',
);
const streamArn = pattern(
  /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/,
  "must be the ARN of a table's stream: the value LatestStreamArn of aws dynamodb describe-table",
);
const url = (message: string, isValid: (url: URL) => boolean) =>
  v.pipe(
    v.string(message),
    v.check((text) => URL.canParse(text) && isValid(new URL(text)), message),
    v.transform((text) => text.replace(/\/+$/, '')),
  );

const entries = {
  /** `prod` keeps its data after its stacks are deleted. The other stages delete their data with their stacks. */
  stage: v.optional(v.picklist(stages, `must be one of ${stages.join(', ')}`), 'dev'),
  /** Tells several installations of one stage in one account and region apart. The first needs no name. */
  name: v.optional(
    pattern(
      installationPattern,
      'must have at most 20 lower-case letters, digits and hyphens, and begin with a letter',
    ),
  ),
  /** The API's custom domain, which replaces the gateway's domain. It requires `certificateArn`. */
  domainName: v.optional(
    pattern(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, 'must be a host name like api.example.com'),
  ),
  certificateArn: v.optional(
    pattern(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'must be the ARN of an AWS Certificate Manager certificate in the region of the deployment',
    ),
  ),
  /** Keeps the gateway's own address in use beside the custom domain. */
  defaultEndpoint: v.optional(flag, false),
  /** The base URL of payment pages. The default is `/pay` under the API's URL. */
  payUrlBase: v.optional(
    url(
      'must be a URL like https://example.com/pay, without a query',
      ({ protocol, search, hash }) => /^https?:$/.test(protocol) && search + hash === '',
    ),
  ),
  /** The recipient of alarms. Without it there are no alarms. */
  alarmEmail: v.optional(pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address')),
  /** Adds a dashboard and saved log queries. The default is true in `prod`. */
  dashboard: v.optional(flag),
  /** Adds a web application firewall. The default is true in `prod`, because one caller could use up everyone's limits. */
  waf: v.optional(flag),
  /**
   * The region that gets a daily copy of the table, and a replica of the deployment secret. It must differ from the
   * region of the deployment.
   */
  backupRegion: v.optional(pattern(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region like eu-west-1')),
  /** Adds the canary, which uses the API every five minutes and raises an alarm if it does not work. */
  canary: v.optional(flag, false),
  /** Encrypts data with a customer-managed key instead of AWS-owned keys. */
  customerKey: v.optional(flag, false),
  /**
   * The concurrent executions that the AWS account allows, or the part of them that Remit may use. `shares.ts` divides
   * them. New AWS accounts have 10.
   */
  concurrency: v.optional(
    v.pipe(
      v.unknown(),
      v.check(
        (value) => /^\d{2,6}$/.test(String(value)) && Number(value) >= 10 && Number(value) <= 100_000,
        'must be a whole number from 10 to 100000',
      ),
      v.transform(Number),
    ),
    1_000,
  ),
  /**
   * Creates the role with which API Gateway writes logs. The role is a setting of the whole AWS account and region, so
   * create it only if there is none. `npm run deploy` finds this out.
   */
  gatewayLogRole: v.optional(flag, false),
  /** Private address ranges that webhook endpoints may use. */
  webhookAllowedRanges: v.optional(
    v.pipe(v.string(), v.check(isRangeList, 'must be CIDR ranges like 10.0.0.0/8, separated by commas')),
  ),
  /** Ports that webhook endpoints may use besides 443, 8080, 8443 and, in test mode, 80. */
  webhookAllowedPorts: v.optional(
    v.pipe(
      v.unknown(),
      v.transform(String),
      v.check(isPortList, 'must be ports from 1 to 65535, separated by commas'),
    ),
  ),
  /** The stream of a table restored from a backup. The functions then use that table instead of the stack's. */
  restoredTableStreamArn: v.optional(streamArn),
  /**
   * The stream of a table that exists outside the stacks, such as the table that deleted `prod` stacks left behind. The
   * stacks then have no table. It requires `existingSecret`.
   */
  existingTable: v.optional(streamArn),
  /** The deployment secret that belongs to `existingTable`. The stacks then have none. */
  existingSecret: v.optional(secretArn),
  /** The webhook secret that belongs to `existingTable`, if it has one. */
  existingWebhookSecret: v.optional(secretArn),
  /** The endpoint of an AWS emulator on this machine. */
  emulatorEndpoint: v.optional(
    url('must be the URL of an emulator on this machine, like http://127.0.0.1:4566', ({ href }) =>
      isLoopback(href),
    ),
  ),
};

const schema = v.strictObject(entries);

export type Settings = Omit<v.InferOutput<typeof schema>, 'waf' | 'dashboard'> & {
  readonly waf: boolean;
  readonly dashboard: boolean;
};

/** The names of all settings. */
export const settingNames = Object.keys(entries) as (keyof Settings)[];

/** A setting is invalid. The message names the setting and describes a valid value. */
export class SettingsError extends Error {}

/**
 * Validates the settings and adds the defaults.
 * @param context the whole context of the app; entries of the CDK itself are ignored
 * @param label returns the text that names a setting in messages
 * @throws SettingsError if a setting is invalid
 */
export function parseSettings(
  context: Readonly<Record<string, unknown>>,
  label = (name: string) => `The setting ${name}`,
): Settings {
  const own = Object.entries(context).filter(([name]) => !isCdkKey(name));
  const { success, output, issues } = v.safeParse(schema, Object.fromEntries(own));
  if (!success) throw new SettingsError(issues.map((issue) => describeIssue(issue, label)).join('\n'));
  requireBoth(output, ['domainName', 'certificateArn'], label);
  requireBoth(output, ['existingTable', 'existingSecret'], label);
  if (output.existingWebhookSecret !== undefined && output.existingTable === undefined)
    throw new SettingsError(
      `${label('existingWebhookSecret')} requires ${uncapitalize(label('existingTable'))}.`,
    );
  if (output.existingTable !== undefined && output.restoredTableStreamArn !== undefined) {
    throw new SettingsError(
      `${label('existingTable')} and ${uncapitalize(label('restoredTableStreamArn'))} both select a table. Set only ${uncapitalize(label('existingTable'))}, to the stream of the restored table.`,
    );
  }
  const isProd = output.stage === 'prod';
  return { ...output, waf: output.waf ?? isProd, dashboard: output.dashboard ?? isProd };
}

/** @throws SettingsError if exactly one of two settings is set */
function requireBoth<Name extends string>(
  settings: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly [Name, Name],
  label: (name: string) => string,
): void {
  const [given, missing] = settings[names[0]] === undefined ? names.toReversed() : names;
  if (given === undefined || missing === undefined || settings[given] === undefined) return;
  if (settings[missing] !== undefined) return;
  throw new SettingsError(`${label(given)} requires ${uncapitalize(label(missing))}. Set both or neither.`);
}

const uncapitalize = (text: string) => text.replace(/^The/, 'the');

/** Returns the name of an installation's stage. Metrics and log queries have it, and stack names contain it. */
export const deploymentName = ({ stage, name }: Pick<Settings, 'stage'> & { name?: string | undefined }) =>
  name === undefined ? stage : `${name}-${stage}`;

/** The stacks of a deployment. */
export type StackKind = 'stateful' | 'stateless' | 'backup' | 'canary' | 'dashboard';

/** Returns the name of a CloudFormation stack. All names that AWS generates for its resources begin with it. */
export const stackNameOf = (settings: Parameters<typeof deploymentName>[0], stack: StackKind): string =>
  `remit-${deploymentName(settings)}-${stack}`;

/** True for the names of the CDK's own feature flags and cached lookups. */
const isCdkKey = (name: string) => /[:@]/.test(name) || name === 'cli-telemetry';

function describeIssue(
  { path, type, input, message }: v.InferIssue<typeof schema>,
  label: (name: string) => string,
): string {
  const name = String(path?.[0].key);
  if (type === 'strict_object') {
    return `${label(name)} does not exist. Use one of: ${settingNames.join(', ')}.`;
  }
  return `${label(name)} ${message}. Its value is ${JSON.stringify(input)}.`;
}

function isPortList(text: string): boolean {
  return text.split(',').every((port) => /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535);
}

function isRangeList(text: string): boolean {
  try {
    requireCidrRanges(text.split(','));
    return true;
  } catch {
    return false;
  }
}
