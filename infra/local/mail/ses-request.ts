/** Reads the body of SendEmail with raw content, as AWS documents it. */
import { SesError } from './ses-error.ts';

/** What a request asks for. */
export interface SentMail {
  /** The address in the header `From`, without a name. */
  readonly from: string;
  readonly to: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly configurationSet: string | undefined;
  readonly source: Buffer;
}

const fields = [
  'ConfigurationSetName',
  'Content',
  'Destination',
  'EmailTags',
  'EndpointId',
  'FeedbackForwardingEmailAddress',
  'FeedbackForwardingEmailAddressIdentityArn',
  'FromEmailAddress',
  'FromEmailAddressIdentityArn',
  'ListManagementOptions',
  'ReplyToAddresses',
  'TenantName',
];
/** https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const maxRecipients = 50;
/** RFC 5322 2.1.1, without the line end. */
const maxLineLength = 998;
/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_MessageTag.html */
const tagName = /^[A-Za-z0-9_-]{1,256}$/;
const tagValue = /^[A-Za-z0-9_.@-]{1,256}$/;

/** https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_CreateConfigurationSet.html */
const setName = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads a request. @throws SesError `BadRequestException` if AWS would not accept its form */
export function readSendEmail(body: string): SentMail {
  const request = toObject(parse(body), 'The request');
  const unknown = Object.keys(request).find((name) => !fields.includes(name));
  if (unknown !== undefined) throw badRequest(`Unknown field ${unknown}.`);
  const source = readRaw(request.Content);
  const destination = toObject(request.Destination ?? {}, 'Destination');
  const to = readTexts(destination.ToAddresses ?? [], 'ToAddresses');
  const recipients = to.length > 0 ? to : headerAddresses(source, 'to');
  if (recipients.length === 0) throw badRequest('There are no recipients.');
  if (recipients.length > maxRecipients) throw badRequest(`Recipient count exceeds ${maxRecipients}.`);
  const [from] =
    request.FromEmailAddress === undefined
      ? headerAddresses(source, 'from')
      : [addressOf(String(request.FromEmailAddress))];
  if (from === undefined || from === '') throw badRequest('Missing required header From.');
  const { ConfigurationSetName: configurationSet } = request;
  if (configurationSet !== undefined && !setName.test(String(configurationSet)))
    throw badRequest('Invalid configuration set name.');
  return {
    from,
    to: recipients.map(addressOf),
    tags: readTags(request.EmailTags ?? []),
    configurationSet: configurationSet as string | undefined,
    source,
  };
}

/** @returns the message. @throws SesError if it is not raw, or no message */
function readRaw(content: unknown): Buffer {
  const { Raw: raw, ...others } = toObject(content, 'Content');
  if (raw === undefined || Object.keys(others).length > 0)
    throw badRequest('Content must have Raw, and nothing else. The double knows no other content.');
  const { Data: data } = toObject(raw, 'Raw');
  // A pattern of the whole text would take too much of the stack for a mail of some megabytes.
  if (typeof data !== 'string' || Buffer.from(data, 'base64').toString('base64') !== data)
    throw badRequest('Raw.Data must be text in base64.');
  const source = Buffer.from(data, 'base64');
  if (!source.includes('\r\n\r\n')) throw badRequest('The message has no empty line after its headers.');
  const isLong = source
    .toString('latin1')
    .split('\r\n')
    .some((line) => line.length > maxLineLength);
  if (isLong) throw badRequest('A line of the message is longer than 998 characters.');
  return source;
}

function readTags(tags: unknown): Record<string, string> {
  if (!Array.isArray(tags)) throw badRequest('EmailTags must be a list.');
  return Object.fromEntries(
    tags.map((tag): [string, string] => {
      const { Name: name, Value: value } = toObject(tag, 'A tag');
      if (typeof name !== 'string' || !tagName.test(name)) throw badRequest('Invalid tag name.');
      if (typeof value !== 'string' || !tagValue.test(value)) throw badRequest('Invalid tag value.');
      return [name, value];
    }),
  );
}

/** Returns the addresses in a header of the message. */
function headerAddresses(source: Buffer, name: string): string[] {
  const head = source
    .subarray(0, source.indexOf('\r\n\r\n'))
    .toString('latin1')
    .replaceAll(/\r\n[ \t]+/g, ' ');
  const line = head.split('\r\n').find((each) => each.toLowerCase().startsWith(`${name}:`));
  const value = line?.slice(name.length + 1).trim() ?? '';
  return value === ''
    ? []
    : value.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((each) => addressOf(each.trim()));
}

/** Returns `dorji@example.bt` of `"Dorji" <dorji@example.bt>`. */
const addressOf = (text: string): string => /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;

function readTexts(value: unknown, name: string): string[] {
  if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
    throw badRequest(`${name} must be a list of texts.`);
  return value;
}

function toObject(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest(`${name} must be an object.`);
  return value as Record<string, unknown>;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest('The request is not JSON.');
  }
}

const badRequest = (message: string) => new SesError('BadRequestException', message);
