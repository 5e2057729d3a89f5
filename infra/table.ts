/** Creates the table that contains all items. `shared/store/keys.ts` defines their keys. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, BillingMode, StreamViewType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';

/**
 * Creates the table.
 * @param encryptionKey the customer-managed key; undefined for the default key of DynamoDB, which is free of charge
 */
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

/** The table that the functions use. */
export interface TableReference {
  readonly tableName: string;
  readonly tableArn: string;
  readonly tableStreamArn: string;
}

/** Returns the table that has the stream `tableStreamArn`. */
export function tableFromStreamArn(tableStreamArn: string): TableReference {
  const [tableArn = ''] = tableStreamArn.split('/stream/');
  return { tableName: tableArn.split('/').at(-1) ?? '', tableArn, tableStreamArn };
}
