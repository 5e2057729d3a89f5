/** Finds the secrets of a deployed table. Tags of the table have their ARNs. */
import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type Tag,
} from '@aws-sdk/client-dynamodb';
import { secretTags } from '../infra/secret-tags.ts';

/** The ARNs of a deployment's secrets. The release before has only the deployment secret. */
export interface SecretArns {
  readonly deployment: string;
  readonly webhooks: string | undefined;
  readonly keys: string | undefined;
  readonly providers: string | undefined;
}

/** Returns the environment variables that name the secrets. A secret that is not there has no variable. */
export function secretArnVariables({
  deployment,
  webhooks,
  keys,
  providers,
}: SecretArns): Record<string, string> {
  return {
    DEPLOYMENT_SECRET_ARN: deployment,
    ...(webhooks && { WEBHOOK_SECRET_ARN: webhooks }),
    ...(keys && { KEY_SECRET_ARN: keys }),
    ...(providers && { PROVIDER_SECRET_ARN: providers }),
  };
}

/**
 * Returns the ARNs of the table's secrets.
 * @throws Error if the table does not have the tag of the deployment secret
 */
export async function findSecretArns(tableName: string): Promise<SecretArns> {
  const client = new DynamoDBClient();
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const { deployment, ...others } = await readSecretTags(Table?.TableArn ?? '');
    if (deployment) return { deployment, ...others };
  } finally {
    client.destroy();
  }
  throw new Error(
    `The table ${tableName} has no tag ${secretTags.deployment}. Set DEPLOYMENT_SECRET_ARN to the ARN of the deployment's secret.`,
  );
}

/**
 * Returns the ARNs of the secrets that the tags of a table contain.
 * @throws the error of DynamoDB, for example `AccessDeniedException`
 */
export async function readSecretTags(
  tableArn: string,
): Promise<Readonly<Record<keyof SecretArns, string | undefined>>> {
  const client = new DynamoDBClient();
  try {
    const tags: Tag[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(new ListTagsOfResourceCommand({ ResourceArn: tableArn, NextToken }));
      tags.push(...(page.Tags ?? []));
      ({ NextToken } = page);
    } while (NextToken !== undefined);
    const arnIn = (tag: string) => tags.find(({ Key }) => Key === tag)?.Value;
    return {
      deployment: arnIn(secretTags.deployment),
      webhooks: arnIn(secretTags.webhooks),
      keys: arnIn(secretTags.keys),
      providers: arnIn(secretTags.providers),
    };
  } finally {
    client.destroy();
  }
}
