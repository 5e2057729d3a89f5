/** Finds the deployment secret of a deployed table. A tag of the table has its ARN. */
import { DescribeTableCommand, DynamoDBClient, ListTagsOfResourceCommand } from '@aws-sdk/client-dynamodb';
import { deploymentSecretTag } from '../infra/deployment-secret-tag.ts';

/**
 * Returns the ARN of the table's deployment secret.
 * @throws Error if the table does not have the tag
 */
export async function findDeploymentSecretArn(tableName: string): Promise<string> {
  const client = new DynamoDBClient();
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn }));
    const arn = Tags?.find(({ Key }) => Key === deploymentSecretTag)?.Value;
    if (arn) return arn;
  } finally {
    client.destroy();
  }
  throw new Error(
    `The table ${tableName} has no tag ${deploymentSecretTag}. Set DEPLOYMENT_SECRET_ARN to the ARN of the deployment's secret.`,
  );
}
