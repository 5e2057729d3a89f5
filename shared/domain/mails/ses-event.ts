/**
 * Reads what Amazon SES reports of a mail. Amazon SNS sends the record as it is, without an envelope.
 *
 * - The form: https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 * - Without an envelope: https://docs.aws.amazon.com/sns/latest/dg/sns-large-payload-raw-message-delivery.html
 * - The tags of a mail name it and its owner. So its record is found also if the id that SES gave it is not stored yet.
 */
import { isRecordId, type Mode, modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { parseMessage } from '../../store/parse-message.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import type { Mail, MailReason } from './mail.ts';

/** What came of a mail. */
export interface MailOutcome extends Owner {
  readonly id: string;
  /** When SES accepted the mail. In milliseconds since 1970. */
  readonly acceptedAt: Instant;
  /** The id that SES gave the mail. */
  readonly sesId: string;
  /** The address that the mail was sent to. An erasure has removed it from the record. */
  readonly to: string | undefined;
  readonly state: 'delivered' | 'bounced' | 'complained' | 'failed';
  readonly reason?: MailReason | undefined;
}

/** The names of the tags. */
const tagNames = { id: 'remit_mail', account: 'remit_account', mode: 'remit_mode' } as const;

/** Returns the tags of a mail. */
export const tagsOf = ({ id, account, mode }: Pick<Mail, 'id' | 'account' | 'mode'>) => ({
  [tagNames.id]: id,
  [tagNames.account]: account,
  [tagNames.mode]: mode,
});

/** SES greets a new topic with this text, which is no record: https://github.com/ope-tech/laravel-ses/issues/10 */
const greeting = 'Successfully validated SNS topic for Amazon SES event publishing.';

/**
 * Reads the body of a message. Undefined: it reports nothing of a mail of this service.
 * @throws MalformedItemError
 */
export function parseSesEvent(body: string): MailOutcome | undefined {
  if (body.trim() === greeting) return undefined;
  const event = parseMessage(body);
  const mail = objectIn(event, 'mail');
  const outcome = outcomeOf(event);
  const sesId = textIn(mail, 'messageId');
  const reference = referenceIn(mail.tags);
  // A mail has one receiver.
  const [to] = Array.isArray(mail.destination) ? mail.destination : [];
  return (
    outcome &&
    reference && {
      ...reference,
      sesId,
      acceptedAt: Date.parse(textIn(mail, 'timestamp')) || 0,
      to: typeof to === 'string' ? to : undefined,
      ...outcome,
    }
  );
}

/** Events of other types say nothing about the outcome. */
function outcomeOf(event: Item): Pick<MailOutcome, 'state' | 'reason'> | undefined {
  const type = textIn(event, 'eventType');
  if (type === 'Delivery') return { state: 'delivered' };
  if (type === 'Complaint') return { state: 'complained' };
  if (type === 'Reject') return { state: 'failed', reason: 'rejected' };
  if (type !== 'Bounce') return undefined;
  // SES has given up also after a transient bounce. Its type can be undetermined, too.
  const isPermanent = textIn(objectIn(event, 'bounce'), 'bounceType') === 'Permanent';
  return { state: 'bounced', reason: isPermanent ? 'bounced_permanently' : 'bounced_temporarily' };
}

/** Returns the mail that the tags name. Undefined: somebody else has sent it. The values of a tag are a list. */
function referenceIn(tags: unknown): Pick<MailOutcome, 'id' | 'account' | 'mode'> | undefined {
  const firstOf = (name: string) => {
    const values: unknown = (tags as Item | undefined)?.[name];
    return Array.isArray(values) ? values[0] : undefined;
  };
  const [id, account, mode] = [tagNames.id, tagNames.account, tagNames.mode].map(firstOf);
  if (id === undefined) return undefined;
  const isMode = modes.some((each) => each === mode);
  if (!isRecordId('mail', String(id)) || typeof account !== 'string' || account === '' || !isMode)
    throw new MalformedItemError('message', 'its tags name no mail');
  return { id, account, mode: mode as Mode };
}

function objectIn(item: Item, name: string): Item {
  const value = item[name];
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Item;
  throw new MalformedItemError('message', `its field ${name} must be an object`);
}

function textIn(item: Item, name: string): string {
  const value = item[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new MalformedItemError('message', `its field ${name} must be a text`);
}
