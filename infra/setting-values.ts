/** Defines the kinds of values that deployment settings have, each with the message for an invalid value. */
import * as v from 'valibot';
import { type TargetType, targetPatterns } from '../shared/base/aws-targets.ts';
import { requireCidrRanges } from '../shared/platform/outbound/address.ts';
import { isLoopback } from './loopback.ts';

/** How the functions call AWS: on the short path of `shared/platform/aws/direct-client.ts`, or through the SDK. */
export const awsCalls = ['direct', 'sdk'] as const;
export type AwsCalls = (typeof awsCalls)[number];

/**
 * Returns a setting as the text that the CDK context has: lists with commas, and tags as `key=value`. Undefined stays undefined.
 */
export function settingText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key}=${each}`)
    .join(',');
}

const flag = v.pipe(
  v.unknown(),
  v.check((value) => /^(true|false)$/.test(String(value)), 'must be true or false'),
  v.transform((value) => String(value) === 'true'),
);
const pattern = (expression: RegExp, message: string) =>
  v.pipe(v.string(message), v.regex(expression, message));
/**
 * True for the text that stands for a value of another stack while the CDK builds an app, such as `certificate.certificateArn`:
 * https://docs.aws.amazon.com/cdk/v2/guide/tokens.html
 */
export const isToken = (text: string): boolean => /^\$\{Token\[[^\]]+\]\}$/.test(text);
/** An ARN, which an app can take from another of its stacks. */
const arn = (expression: RegExp, message: string) =>
  v.pipe(
    v.string(message),
    v.check((text) => isToken(text) || expression.test(text), message),
  );
const secretArn = pattern(
  /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-\w{6}$/,
  'must be the ARN of a secret, with the six characters at its end',
);
const streamArn = pattern(
  /^arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:\d{12}:table\/[\w.-]+\/stream\/[\w:.-]+$/,
  "must be the ARN of a table's stream: the value LatestStreamArn of aws dynamodb describe-table",
);
const hostName = (example: string) =>
  pattern(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/, `must be a host name like ${example}`);
const certificate = arn(
  /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
  'must be the ARN of an AWS Certificate Manager certificate in the region of the deployment',
);
const url = (message: string, isValid: (url: URL) => boolean) =>
  v.pipe(
    v.string(message),
    v.check((text) => URL.canParse(text) && isValid(new URL(text)), message),
    v.transform((text) => text.replace(/\/+$/, '')),
  );
const issuer = v.pipe(
  v.string(),
  v.check(isIssuer, 'must be an https URL without a query, such as https://login.example.com'),
);
const claimValues = pattern(
  /^(?=.{1,500}$)[!-~]+( [!-~]+)*$/,
  'must be values of the claim, separated by single spaces',
);
const emailPattern = /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/;
/**
 * An address from which mails come. Its domain is the identity in SES, and an ASCII name, because SES accepts no other:
 * https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 */
const mailAddress = pattern(
  /^(?=.{1,254}$)[a-z0-9._+-]{1,64}@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
  'must be an e-mail address like invoices@shop.example, in lower case',
);
/** The name of an identity: a domain or an address. */
const mailIdentity = pattern(
  /^(?=.{1,254}$)([a-z0-9._+-]{1,64}@)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
  'must be the name of an identity in Amazon SES, like shop.example or invoices@shop.example',
);
/** An e-mail address becomes a URI. */
const contact = v.pipe(
  v.string(),
  v.check(
    (text) => emailPattern.test(text) || (/^https:\/\/[!-~]+$/.test(text) && URL.canParse(text)),
    'must be an e-mail address or an https URL',
  ),
  v.transform((text) => (emailPattern.test(text) ? `mailto:${text}` : text)),
);
const managedPolicy = arn(
  /^arn:aws[a-z-]*:iam::(aws|\d{12}):policy\/[\w+=,.@/-]+$/,
  'must be the ARN of a managed policy, like arn:aws:iam::123456789012:policy/Boundary',
);
/** https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreateRole.html */
const rolePath = pattern(
  /^(?=.{1,512}$)\/([!-.0-~]+\/)+$/,
  'must be a path of at most 512 characters that begins and ends with a slash, like /remit/',
);
const tagList = v.pipe(
  v.string(),
  v.check(
    (text) => readTags(text) !== undefined,
    'must be tags like team=payments,cost-center=42: keys of at most 128 characters that do not begin with aws:, and values of at most 256',
  ),
  v.transform((text) => readTags(text) ?? {}),
);
/** IAM accepts 10,240 characters of policies in a role: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
const maxTargets = 10;
const targetList = (type: TargetType, example: string) =>
  v.pipe(
    v.string(),
    v.check(
      (text) => isTargetList(type, text),
      `must be up to ${maxTargets} ARNs like ${example}, separated by commas`,
    ),
  );
const rangeList = v.pipe(
  v.string(),
  v.check(isRangeList, 'must be CIDR ranges like 10.0.0.0/8, separated by commas'),
);
const portList = v.pipe(
  v.unknown(),
  v.transform(String),
  v.check(isPortList, 'must be ports from 1 to 65535, separated by commas'),
);

/** The schemas of the values. */
export const settingValues = {
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
};

/** An issuer on this machine may use http, for a deployment to an emulator. */
function isIssuer(text: string): boolean {
  const parsed = URL.parse(text);
  if (!parsed || parsed.search + parsed.hash + parsed.username !== '') return false;
  return parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(text));
}

/**
 * Reads tags. The characters are those that all services accept:
 * https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
 * @returns undefined if a tag is not valid, or if a key is there twice
 */
function readTags(text: string): Record<string, string> | undefined {
  const tags = text
    .split(',')
    .map((tag) => /^(?!aws:)([\p{L}\p{N} _.:/+@-]{1,128})=([\p{L}\p{N} _.:/=+@-]{0,256})$/iu.exec(tag));
  const read = Object.fromEntries(tags.map((match) => [match?.[1] ?? '', match?.[2] ?? '']));
  return tags.includes(null) || Object.keys(read).length < tags.length ? undefined : read;
}

function isTargetList(type: TargetType, text: string): boolean {
  const arns = text.split(',');
  const isValid = arns.every((arn) => isToken(arn) || targetPatterns[type].test(arn));
  return isValid && new Set(arns).size === arns.length && arns.length <= maxTargets;
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
