/** A log, of a function or of the gateway: for a month, which bounds what is stored and what it costs. */
import { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** @param encryptionKey the account's own, if there is one */
export function createLogGroup(scope: Construct, id: string, encryptionKey: IKey | undefined): LogGroup {
  return new LogGroup(scope, id, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(encryptionKey && { encryptionKey }),
  });
}
