/**
 * Defines and validates the deployment settings. They come from the CDK context, from the settings file or from the properties of
 * the construct. An invalid setting stops the deployment before it creates anything, with a message that says what a valid value is.
 */
import * as v from 'valibot';
import { isLoopback } from './loopback.ts';
import { awsCalls, settingText, settingValues } from './setting-values.ts';

export const stages = ['dev', 'staging', 'prod'] as const;

/** Names of installations. The length leaves room in the names that AWS derives from the names of the stacks. */
export const installationPattern = /^[a-z][a-z0-9-]{0,19}$/;

const {
  flag,
  pattern,
  secretArn,
  streamArn,
  hostName,
  certificate,
  url,
  contact,
  mailAddress,
  mailIdentity,
  issuer,
  claimValues,
  managedPolicy,
  rolePath,
  tagList,
  targetList,
  rangeList,
  portList,
} = settingValues;

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
  domainName: v.optional(hostName('api.example.com')),
  /** The certificate of `domainName`, in the region of the deployment. */
  certificateArn: v.optional(certificate),
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
  /** The address of `docs/operate`, which the text of each alarm links to. Without it, the text has the path in the repository. */
  runbookUrl: v.optional(
    url(
      'must be a URL like https://git.example.com/remit/docs/operate, without a query',
      ({ protocol, search, hash }) => /^https?:$/.test(protocol) && search + hash === '',
    ),
  ),
  /** Who gets reports of vulnerabilities, as a URI for `/.well-known/security.txt`. Without it the file does not exist. */
  securityContact: v.optional(contact),
  /** The address from which mails come. Without it the deployment sends no mail. */
  mailFrom: v.optional(mailAddress),
  /**
   * An identity in Amazon SES that exists, and that the stacks use and never change. Without it they create one for the domain of
   * `mailFrom`.
   */
  mailIdentity: v.optional(mailIdentity),
  /** The mails that an account and mode sends in a day at most. The default is 500. */
  mailsPerDay: v.optional(
    v.pipe(
      v.unknown(),
      v.check(
        (value) => /^[1-9]\d{0,5}$/.test(String(value)) && Number(value) <= 100_000,
        'must be a whole number from 1 to 100000',
      ),
      v.transform(Number),
    ),
  ),
  /** Adds a dashboard of CloudWatch and saved log queries. The default is true in `prod`. */
  metricsDashboard: v.optional(flag),
  /** False leaves out the stack of the dashboard, in which people sign in. It is never set to true. */
  dashboard: v.optional(flag),
  /** The dashboard's custom domain, which replaces the gateway's domain. It requires `dashboardCertificateArn`. */
  dashboardDomain: v.optional(hostName('dashboard.example.com')),
  /** The certificate of `dashboardDomain`, in the region of the deployment. */
  dashboardCertificateArn: v.optional(certificate),
  /**
   * The OpenID Connect issuer at which users of the dashboard sign in. Without it, the stack creates a user pool of
   * Amazon Cognito. It requires `oidcClientId`.
   */
  oidcIssuer: v.optional(issuer),
  /** The id of the dashboard at the issuer. It is a public client with PKCE, so it has no secret. */
  oidcClientId: v.optional(pattern(/^[!-~]{1,255}$/, 'must be the client id that the issuer shows')),
  /**
   * How users must have signed in at `oidcIssuer`, such as `phr phrh`: one of these values is in the claim `acr`. So sign-ins
   * without a second factor can be refused.
   */
  oidcAcr: v.optional(claimValues),
  /** The same for the claim `amr`, such as `mfa`. With both, a sign-in needs both. */
  oidcAmr: v.optional(claimValues),
  /** Adds a web application firewall. The default is true in `prod`, because one caller could use up everyone's limits. */
  waf: v.optional(flag),
  /**
   * Adds another web application firewall in front of the dashboard. The default is `waf`. Each gateway has a firewall of its
   * own, because a shared one could be neither removed nor replaced while the other stack uses it.
   */
  dashboardWaf: v.optional(flag),
  /**
   * The region that gets a daily copy of the table, and a replica of the deployment secret. It must differ from the
   * region of the deployment.
   */
  backupRegion: v.optional(pattern(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region like eu-west-1')),
  /**
   * Replaces the functions gradually with CodeDeploy. The default is true outside of `dev`. False is for emulators without
   * CodeDeploy: the new code then gets all calls at once, and no alarm sends them back.
   */
  gradualDeployment: v.optional(flag),
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
  /** How the functions call AWS. With `sdk`, their bundles contain the SDK, and docs/operate/deploying.md says when that helps. */
  awsCalls: v.optional(v.picklist(awsCalls, `must be ${awsCalls.join(' or ')}`), 'direct'),
  /** The managed policy that bounds the permissions of each role, if the AWS account requires one. */
  permissionsBoundary: v.optional(managedPolicy),
  /** The path of each role. The default is `/`. */
  rolePath: v.optional(rolePath),
  /** Tags of all resources. */
  tags: v.optional(tagList),
  /** Private address ranges that webhook endpoints may use. */
  webhookAllowedRanges: v.optional(rangeList),
  /** Ports that webhook endpoints may use besides 443, 8080, 8443 and, in test mode, 80. */
  webhookAllowedPorts: v.optional(portList),
  /** The queues, event buses and functions in AWS to which webhook endpoints can send. The roles name exactly these. */
  eventQueue: v.optional(targetList('sqs', 'arn:aws:sqs:eu-west-1:123456789012:events')),
  eventBus: v.optional(targetList('eventbridge', 'arn:aws:events:eu-west-1:123456789012:event-bus/events')),
  eventFunction: v.optional(targetList('lambda', 'arn:aws:lambda:eu-west-1:123456789012:function:events')),
  /** The stream of a table restored from a backup. The functions then use that table instead of the stack's. */
  restoredTableStreamArn: v.optional(streamArn),
  /**
   * The stream of a table that exists outside the stacks, such as the table that deleted `prod` stacks left behind. The
   * stacks then have no table. It requires its secrets.
   */
  existingTable: v.optional(streamArn),
  /** The deployment secret that belongs to `existingTable`. The stacks then have none. */
  existingSecret: v.optional(secretArn),
  /** The webhook secret that belongs to `existingTable`. */
  existingWebhookSecret: v.optional(secretArn),
  /** The provider secret that belongs to `existingTable`. */
  existingProviderSecret: v.optional(secretArn),
  /** The audit secret that belongs to `existingTable`. */
  existingAuditSecret: v.optional(secretArn),
  /**
   * The host of the dashboard's gateway, and that at which the canary receives webhooks. Webhooks may not go there. AWS chooses
   * both hosts, so `npm run deploy` finds them out.
   */
  dashboardHost: v.optional(hostName('a1b2c3.execute-api.eu-west-1.amazonaws.com')),
  canaryHost: v.optional(hostName('a1b2c3.lambda-url.eu-west-1.on.aws')),
  /** The endpoint of an AWS emulator on this machine. */
  emulatorEndpoint: v.optional(
    url('must be the URL of an emulator on this machine, like http://127.0.0.1:4566', ({ href }) =>
      isLoopback(href),
    ),
  ),
};

const schema = v.strictObject(entries);

export type Settings = Omit<
  v.InferOutput<typeof schema>,
  'waf' | 'dashboardWaf' | 'metricsDashboard' | 'dashboard' | 'gradualDeployment'
> & {
  readonly waf: boolean;
  readonly dashboardWaf: boolean;
  readonly metricsDashboard: boolean;
  readonly dashboard: boolean;
  readonly gradualDeployment: boolean;
};

/** The names of all settings. */
export const settingNames = Object.keys(entries) as (keyof Settings)[];

/** The settings that `npm run deploy` always finds out itself. */
export const foundSettings = ['emulatorEndpoint', 'dashboardHost', 'canaryHost'] as const;

/** The settings as code gives them. `parseSettings` accepts them beside the texts of the context. */
export type SettingsInput = {
  readonly [Name in keyof typeof entries]?: Settings[Name] | undefined;
};

/** A setting is invalid. The message names the setting and describes a valid value. */
export class SettingsError extends Error {}

/**
 * Validates the settings and adds the defaults.
 * @param context the settings, also as part of the whole context of an app; entries of the CDK itself are ignored
 * @param label returns the text that names a setting in messages
 * @throws SettingsError if a setting is invalid
 */
export function parseSettings(
  context: Readonly<Record<string, unknown>>,
  label = (name: string) => `The setting ${name}`,
): Settings {
  const own = Object.entries(context)
    .filter(([name]) => !isCdkKey(name))
    .map(([name, value]) => [name, settingText(value)]);
  const { success, output, issues } = v.safeParse(schema, Object.fromEntries(own));
  if (!success) throw new SettingsError(issues.map((issue) => describeIssue(issue, label)).join('\n'));
  requireAll(output, ['domainName', 'certificateArn'], label);
  requireAll(
    output,
    [
      'existingTable',
      'existingSecret',
      'existingWebhookSecret',
      'existingProviderSecret',
      'existingAuditSecret',
    ],
    label,
  );
  requireAll(output, ['dashboardDomain', 'dashboardCertificateArn'], label);
  requireAll(output, ['oidcIssuer', 'oidcClientId'], label);
  requireValidMail(output, label);
  requireWith(output, 'mailsPerDay', 'mailFrom', label);
  const strength = (['oidcAcr', 'oidcAmr'] as const).find((name) => output[name] !== undefined);
  if (strength !== undefined && output.oidcIssuer === undefined)
    throw new SettingsError(
      `${label(strength)} requires ${uncapitalize(label('oidcIssuer'))}. Leave it out: the user pool of the deployment always requires a second factor.`,
    );
  requireValidDashboard(output, label);
  if (output.existingTable !== undefined && output.restoredTableStreamArn !== undefined) {
    throw new SettingsError(
      `${label('existingTable')} and ${uncapitalize(label('restoredTableStreamArn'))} both select a table. Set only ${uncapitalize(label('existingTable'))}, to the stream of the restored table.`,
    );
  }
  const isProd = output.stage === 'prod';
  const { waf = isProd, metricsDashboard = isProd, dashboard = true } = output;
  const { dashboardWaf = waf, gradualDeployment = output.stage !== 'dev' } = output;
  return { ...output, waf, dashboardWaf, metricsDashboard, dashboard, gradualDeployment };
}

/** @throws SettingsError if the settings of the dashboard contradict others */
function requireValidDashboard(
  { dashboard, domainName, ...output }: v.InferOutput<typeof schema>,
  label: (name: string) => string,
): void {
  if (dashboard) {
    throw new SettingsError(
      `${label('dashboard')} is not needed, because each deployment has the dashboard. For the dashboard of CloudWatch, use ${uncapitalize(label('metricsDashboard'))}.`,
    );
  }
  const [unused] = (['dashboardDomain', 'oidcIssuer'] as const).filter((name) => output[name] !== undefined);
  if (dashboard === false && unused !== undefined) {
    throw new SettingsError(
      `${label(unused)} requires the dashboard. Leave it out, or deploy the dashboard.`,
    );
  }
  if (output.dashboardDomain !== undefined && output.dashboardDomain === domainName) {
    throw new SettingsError(
      `${label('dashboardDomain')} is also the domain of the API. Use another domain, so that payment pages cannot read the dashboard.`,
    );
  }
}

/** @throws SettingsError if the identity of mails cannot send from their address */
function requireValidMail(
  { mailFrom, mailIdentity: identity }: v.InferOutput<typeof schema>,
  label: (name: string) => string,
): void {
  if (identity === undefined) return;
  requireWith({ mailFrom, mailIdentity: identity }, 'mailIdentity', 'mailFrom', label);
  if (mailFrom === undefined) return;
  // A verified domain covers its subdomains: https://docs.aws.amazon.com/ses/latest/dg/creating-identities.html
  const domain = mailFrom.slice(mailFrom.indexOf('@') + 1);
  if (mailFrom !== identity && domain !== identity && !domain.endsWith(`.${identity}`))
    throw new SettingsError(
      `${label('mailIdentity')} must be the address of ${uncapitalize(label('mailFrom'))}, its domain or a domain above it. Its value is "${identity}".`,
    );
}

/** @throws SettingsError if a setting is set without one that it needs */
function requireWith<Name extends string>(
  settings: Readonly<Partial<Record<Name, unknown>>>,
  name: Name,
  needed: Name,
  label: (name: string) => string,
): void {
  if (settings[name] === undefined || settings[needed] !== undefined) return;
  throw new SettingsError(`${label(name)} requires ${uncapitalize(label(needed))}. Set it too.`);
}

/** @throws SettingsError if some of the settings are set, but not all */
function requireAll<Name extends string>(
  settings: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
  label: (name: string) => string,
): void {
  const given = names.find((name) => settings[name] !== undefined);
  const missing = names.find((name) => settings[name] === undefined);
  if (given === undefined || missing === undefined) return;
  const advice = names.length === 2 ? 'Set both or neither.' : 'Set all of them, or none.';
  throw new SettingsError(`${label(given)} requires ${uncapitalize(label(missing))}. ${advice}`);
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
