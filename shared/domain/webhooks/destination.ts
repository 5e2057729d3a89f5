/**
 * Decides where the events of a webhook endpoint go: to a URL, or to a target in AWS. The deployment names the targets, so its role can
 * send to exactly these, and no credential is stored.
 */
import * as v from 'valibot';
import { parseTarget, type TargetType, targetTypes } from '../../base/aws-targets.ts';
import { env } from '../../base/env.ts';
import { ApiError } from '../../base/errors.ts';
import { isOfSandbox, type Owner } from '../../base/ids.ts';

export const endpointTypes = ['url', ...targetTypes] as const;
export type EndpointType = (typeof endpointTypes)[number];

/** What a request says about it. */
interface SentDestination {
  readonly url?: string | null | undefined;
  readonly target?: string | null | undefined;
}

/** What messages call a target, an example of its ARN, and the setting of the deployment that names it. */
const targetWords: Readonly<Record<TargetType, readonly [noun: string, example: string, option: string]>> = {
  sqs: ['an SQS queue', 'arn:aws:sqs:eu-west-1:123456789012:events', '--event-queue'],
  eventbridge: [
    'an EventBridge bus',
    'arn:aws:events:eu-west-1:123456789012:event-bus/events',
    '--event-bus',
  ],
  lambda: ['a Lambda function', 'arn:aws:lambda:eu-west-1:123456789012:function:events', '--event-function'],
};

const typeMessage = `type must be one of ${endpointTypes.join(', ')}.`;
const targetMessage = `target must be the ARN of a queue, an event bus or a function, such as ${targetWords.sqs[1]}.`;
export const urlMessage =
  'url must be an absolute https URL of at most 2048 characters. In test mode, http is also allowed.';

export const endpointTypeSchema = v.picklist(endpointTypes, typeMessage);
export const targetSchema = v.pipe(
  v.string(targetMessage),
  v.check((text) => parseTarget(text) !== undefined, targetMessage),
);

/** Returns the type of an endpoint. @param destination its URL, or the ARN of its target */
export const endpointTypeOf = (destination: string): EndpointType => parseTarget(destination)?.type ?? 'url';

/**
 * Returns where the events of a new endpoint go: the URL, or the ARN of the target.
 * @throws ApiError `invalid_url` or `invalid_target` if the request names both, none, or the other one
 */
export function newDestination({
  type,
  url,
  target,
}: SentDestination & { readonly type?: EndpointType | null | undefined }): string {
  if (type == null || type === 'url') {
    if (target != null)
      refuse(
        'target',
        `An endpoint of the type url has no target. Remove it, or add "type": "${endpointTypeOf(target)}".`,
      );
    if (url == null)
      return refuse('url', 'url is required. Add it, such as "url": "https://example.com/webhooks".');
    return endpointTypeOf(url) === 'url' ? url : refuse('url', urlMessage);
  }
  const [noun, example] = targetWords[type];
  if (url != null) refuse('url', `An endpoint of the type ${type} has no url. Remove it.`);
  if (target == null)
    return refuse('target', `target is required. Add the ARN of ${noun}, such as "target": "${example}".`);
  return requireType(type, target);
}

/** Returns the ARN of a target. @throws ApiError `invalid_target` if it is of another type */
function requireType(type: TargetType, target: string): string {
  const [noun, example] = targetWords[type];
  if (endpointTypeOf(target) === type) return target;
  return refuse('target', `target must be the ARN of ${noun}, such as ${example}.`);
}

/**
 * Returns where the events of a changed endpoint go. Its type stays. Earlier versions of the API show the target as `url`.
 * @throws ApiError `invalid_url` or `invalid_target` if the request names what this type does not have, or removes what it has
 */
export function changedDestination(current: string, { url, target }: SentDestination): string {
  const otherType = 'The type of an endpoint cannot change. Create another endpoint.';
  const type = endpointTypeOf(current);
  if (type === 'url') {
    if (target != null) refuse('target', otherType);
    if (url === null) return refuse('url', urlMessage);
    return url === undefined || endpointTypeOf(url) === 'url' ? (url ?? current) : refuse('url', otherType);
  }
  if (url != null && url !== current) refuse('url', otherType);
  if (target === null) return refuse('target', targetMessage);
  return target === undefined ? current : requireType(type, target);
}

/** Checks that the deployment sends to a target. @throws ApiError `invalid_target` */
export function requireKnownTarget(type: TargetType, target: string, { account }: Owner): void {
  const [, , option] = targetWords[type];
  if (isOfSandbox(account))
    refuse('target', 'A sandbox sends to URLs only. Leave out target, and send a url.');
  const known = knownTargets(type);
  if (known.includes(target)) return;
  const available = known.length === 0 ? 'It has none of this type.' : `Use one of: ${known.join(', ')}.`;
  refuse(
    'target',
    `target must be one of those that the service is deployed with. ${available} The operator adds another one with the setting ${option}.`,
  );
}

/** Returns the ARNs of the targets that the deployment names. @param type only those of this type */
export function knownTargets(type?: TargetType): string[] {
  return env.eventTargets().filter((arn) => type === undefined || parseTarget(arn)?.type === type);
}

function refuse(field: 'url' | 'target', message: string): never {
  throw new ApiError(`invalid_${field}`, { field, message });
}
