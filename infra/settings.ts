/**
 * What whoever deploys may choose: the values of the CDK's context, checked and typed. What cannot be deployed is
 * refused before anything is made of it, with what would be right.
 */
import * as v from 'valibot';
import { requireRanges } from '../shared/webhooks/address.ts';
import { isLoopback } from './local/environment.ts';

export const stages = ['dev', 'staging', 'prod'] as const;

const flag = v.pipe(
  v.unknown(),
  v.check((value) => /^(true|false)$/.test(String(value)), 'must be true or false'),
  v.transform((value) => String(value) === 'true'),
);
const pattern = (expression: RegExp, message: string) =>
  v.pipe(v.string(message), v.regex(expression, message));
const address = (message: string, isRight: (url: URL) => boolean) =>
  v.pipe(
    v.string(message),
    v.check((text) => URL.canParse(text) && isRight(new URL(text)), message),
    v.transform((text) => text.replace(/\/+$/, '')),
  );

const entries = {
  /** Data of `prod` outlive everything; those of the other stages are deleted with their stack. */
  stage: v.optional(v.picklist(stages, `must be one of ${stages.join(', ')}`), 'dev'),
  /** The API's own address, for which a certificate is there, in place of the gateway's. */
  domainName: v.optional(
    pattern(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, 'must be a host name like api.example.com'),
  ),
  certificateArn: v.optional(
    pattern(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      "must be the ARN of a certificate of AWS Certificate Manager, in the deployment's region",
    ),
  ),
  /** Where payers go, if that is not under the API's own address. */
  payUrlBase: v.optional(
    address(
      'must be an address like https://example.com/pay, without a query',
      ({ protocol, search, hash }) => /^https?:$/.test(protocol) && search + hash === '',
    ),
  ),
  /** Who is told of alarms; without it there are none. */
  alarmEmail: v.optional(pattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'must be an e-mail address')),
  dashboard: v.optional(flag, false),
  /** A web application firewall before the API. */
  waf: v.optional(flag, false),
  /** Encryption under a key of the account's own in place of keys that AWS owns. */
  customerKey: v.optional(flag, false),
  /**
   * A scheduled function may then be at work twice, which has no second effect. For AWS accounts that may run so few
   * functions at once (10 in a new one) that they can reserve none.
   */
  noReservedConcurrency: v.optional(flag, false),
  /** Private ranges that webhooks may be sent to all the same. */
  webhookAllowedRanges: v.optional(
    v.pipe(v.string(), v.check(areRanges, 'must be ranges like 10.0.0.0/8, with commas between')),
  ),
  /** The stream of a table restored from a backup, which then takes the place of the stack's own. */
  restoredTableStreamArn: v.optional(
    pattern(
      /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/,
      'must be the ARN of the stream of a table, which LatestStreamArn of aws dynamodb describe-table is',
    ),
  ),
  /** The emulator that stands in for AWS, on this machine. */
  emulatorEndpoint: v.optional(
    address('must be an address of this machine like http://127.0.0.1:4566', ({ href }) => isLoopback(href)),
  ),
};

const schema = v.strictObject(entries);

export type Settings = v.InferOutput<typeof schema>;

/** The names of all settings. */
export const settingNames = Object.keys(entries) as (keyof Settings)[];

/** Says which setting is wrong, and what would be right. */
export class SettingsError extends Error {}

/** @param context all of the app's; what the CDK keeps there for itself is passed over. @throws SettingsError */
export function settingsOf(context: Readonly<Record<string, unknown>>): Settings {
  const own = Object.entries(context).filter(([name]) => !isOfCdk(name));
  const { success, output, issues } = v.safeParse(schema, Object.fromEntries(own));
  if (!success) throw new SettingsError(issues.map(sentenceOf).join('\n'));
  if ((output.domainName === undefined) !== (output.certificateArn === undefined)) {
    throw new SettingsError('The settings domainName and certificateArn go together: set both or none.');
  }
  return output;
}

/** Its switches and what it has looked up have such names. */
const isOfCdk = (name: string) => /[:@]/.test(name) || name === 'cli-telemetry';

function sentenceOf({ path, type, input, message }: v.InferIssue<typeof schema>): string {
  const name = String(path?.[0].key);
  if (type === 'strict_object') {
    return `There is no setting ${name}; those of the context are ${settingNames.join(', ')}.`;
  }
  return `The setting ${name} ${message}, and not ${JSON.stringify(input)}.`;
}

function areRanges(text: string): boolean {
  try {
    requireRanges(text.split(','));
    return true;
  } catch {
    return false;
  }
}
