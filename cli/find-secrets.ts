/** Finds the secrets of a deployed table. Tags of the table have their ARNs. */
import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type Tag,
} from '@aws-sdk/client-dynamodb';
import { secretTags } from '../infra/secret-tags.ts';

/** The ARN of each of a deployment's secrets. */
export type SecretArns = Readonly<Record<keyof typeof secretTags, string>>;

/** Returns the environment variables that name the secrets. */
export function secretArnVariables({
  deployment,
  webhooks,
  keys,
  providers,
  audit,
  signing,
}: SecretArns): Record<string, string> {
  return {
    DEPLOYMENT_SECRET_ARN: deployment,
    WEBHOOK_SECRET_ARN: webhooks,
    KEY_SECRET_ARN: keys,
    PROVIDER_SECRET_ARN: providers,
    AUDIT_SECRET_ARN: audit,
    SIGNING_SECRET_ARN: signing,
  };
}

/**
 * Returns the ARNs of the table's secrets.
 * @throws Error if the table lacks a tag of a secret
 */
export async function findSecretArns(tableName: string): Promise<SecretArns> {
  const client = new DynamoDBClient();
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    const { deployment, webhooks, keys, providers, audit, signing } = await readSecretTags(
      Table?.TableArn ?? '',
    );
    if (deployment && webhooks && keys && providers && audit && signing)
      return { deployment, webhooks, keys, providers, audit, signing };
  } finally {
    client.destroy();
  }
  throw new Error(
    `The table ${tableName} does not have the tags ${Object.values(secretTags).join(', ')}. Give it the ARNs of its secrets as tags, as docs/operate/maintenance-and-restore.md explains.`,
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
      audit: arnIn(secretTags.audit),
      signing: arnIn(secretTags.signing),
    };
  } finally {
    client.destroy();
  }
}
