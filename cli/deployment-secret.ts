/** Where a deployed table's secret is: the table itself says so, in a tag. */
import { DescribeTableCommand, DynamoDBClient, ListTagsOfResourceCommand } from '@aws-sdk/client-dynamodb';
import { deploymentSecretTag } from '../infra/deployment-secret-tag.ts';

/** The ARN of the deployment secret that belongs to the table. Throws if the table has no tag that tells. */
export async function deploymentSecretOf(tableName: string): Promise<string> {
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
    `The table ${tableName} has no tag ${deploymentSecretTag}: set DEPLOYMENT_SECRET_ARN to the ARN of its deployment's secret.`,
  );
}
