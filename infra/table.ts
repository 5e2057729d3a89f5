/** The table. All items are in it; their keys are in `shared/store/keys.ts`. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/** Without `encryptionKey` it is encrypted, as every table is, under a key of DynamoDB's own, which costs nothing. */
export function createTable(
  scope: Construct,
  removalPolicy: RemovalPolicy,
  encryptionKey: IKey | undefined,
): Table {
  return new Table(scope, 'Table', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    billingMode: BillingMode.PAY_PER_REQUEST,
    timeToLiveAttribute: 'expiresAt',
    stream: StreamViewType.NEW_IMAGE,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    removalPolicy,
    ...(encryptionKey && { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
  });
}

/** What functions are told of the table that they work on, and granted. */
export interface TableInUse {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn: string;
}

/** A table that was restored from a backup, by the ARN of the stream that it was given. */
export function restoredTable(tableStreamArn: string): TableInUse {
  const [tableArn = ''] = tableStreamArn.split('/stream/');
  return { tableName: tableArn.split('/').at(-1) ?? '', tableArn, tableStreamArn };
}
