/** Defines the targets in AWS to which events can go: queues, event buses and functions. An ARN names each of them. Pure. */

export const targetTypes = ['sqs', 'eventbridge', 'lambda'] as const;
export type TargetType = (typeof targetTypes)[number];

/** A target, with the parts of its ARN. */
export interface AwsTarget {
  readonly type: TargetType;
  readonly arn: string;
  readonly region: string;
  readonly account: string;
  /** The name of the queue, the bus or the function, which can have the name of an alias or a version behind it. */
  readonly name: string;
}

/**
 * The ARNs of each type. The forms are at https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html,
 * …/list_amazoneventbridge.html and …/list_awslambda.html.
 */
export const targetPatterns: Readonly<Record<TargetType, RegExp>> = {
  sqs: /^arn:aws[a-z-]*:sqs:([a-z]{2}[a-z0-9-]+):(\d{12}):([\w-]{1,80}|[\w-]{1,75}\.fifo)$/,
  eventbridge: /^arn:aws[a-z-]*:events:([a-z]{2}[a-z0-9-]+):(\d{12}):event-bus\/([\w./-]{1,256})$/,
  lambda: /^arn:aws[a-z-]*:lambda:([a-z]{2}[a-z0-9-]+):(\d{12}):function:([\w-]{1,140}(?::[\w$-]{1,129})?)$/,
};

/** Returns the target that an ARN names. Undefined: it names none. */
export function parseTarget(arn: string): AwsTarget | undefined {
  for (const type of targetTypes) {
    const [, region, account, name] = targetPatterns[type].exec(arn) ?? [];
    if (region && account && name) return { type, arn, region, account, name };
  }
  return undefined;
}
