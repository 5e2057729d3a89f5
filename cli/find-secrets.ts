/** Finds the secrets and the bucket of a deployed table. Tags of the table name them. */
import {
  DescribeTableCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  type Tag,
} from '@aws-sdk/client-dynamodb';
import { bucketTag, secretTags } from '../infra/secret-tags.ts';

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
  const { deployment, webhooks, keys, providers, audit, signing } = await readSecretTags(
    await arnOfTable(tableName),
  );
  if (deployment && webhooks && keys && providers && audit && signing)
    return { deployment, webhooks, keys, providers, audit, signing };
  throw new Error(
    `The table ${tableName} does not have the tags ${Object.values(secretTags).join(', ')}. Give it the ARNs of its secrets as tags, as docs/operate/maintenance-and-restore.md explains.`,
  );
}

/** Returns the name of the table's bucket. Undefined: the table does not have the tag. */
export async function findBucketName(tableName: string): Promise<string | undefined> {
  return (await readTags(await arnOfTable(tableName))).get(bucketTag);
}

async function arnOfTable(tableName: string): Promise<string> {
  const client = new DynamoDBClient();
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    return Table?.TableArn ?? '';
  } finally {
    client.destroy();
  }
}

/**
 * Returns the ARNs of the secrets that the tags of a table contain.
 * @throws the error of DynamoDB, for example `AccessDeniedException`
 */
export async function readSecretTags(
  tableArn: string,
): Promise<Readonly<Record<keyof SecretArns, string | undefined>>> {
  const tags = await readTags(tableArn);
  return {
    deployment: tags.get(secretTags.deployment),
    webhooks: tags.get(secretTags.webhooks),
    keys: tags.get(secretTags.keys),
    providers: tags.get(secretTags.providers),
    audit: tags.get(secretTags.audit),
    signing: tags.get(secretTags.signing),
  };
}

async function readTags(tableArn: string): Promise<ReadonlyMap<string | undefined, string | undefined>> {
  const client = new DynamoDBClient();
  try {
    const tags: Tag[] = [];
    let NextToken: string | undefined;
    do {
      const page = await client.send(new ListTagsOfResourceCommand({ ResourceArn: tableArn, NextToken }));
      tags.push(...(page.Tags ?? []));
      ({ NextToken } = page);
    } while (NextToken !== undefined);
    return new Map(tags.map(({ Key, Value }) => [Key, Value]));
  } finally {
    client.destroy();
  }
}
