/**
 * Creates log groups. `prod` keeps entries for 400 days, also after its stacks are deleted, so that what happened can be
 * audited. The other stages keep them for one month, which limits the cost of storage.
 */
import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Creates a log group. @param encryptionKey the customer-managed key; undefined for an AWS-owned key */
export function createLogGroup(
  scope: Construct,
  id: string,
  stage: Settings['stage'],
  encryptionKey: IKey | undefined,
): LogGroup {
  const isAudited = stage === 'prod';
  return new LogGroup(scope, id, {
    retention: isAudited ? RetentionDays.THIRTEEN_MONTHS : RetentionDays.ONE_MONTH,
    removalPolicy: isAudited ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  });
}
