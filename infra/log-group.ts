/** Creates log groups. They keep entries for one month, which limits the cost of storage. */
import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Creates a log group. @param encryptionKey the customer-managed key; undefined for an AWS-owned key */
export function createLogGroup(scope: Construct, id: string, encryptionKey: IKey | undefined): LogGroup {
  return new LogGroup(scope, id, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  });
}
