/** Tests the start, the parts and the end of the whole local stack. */
import { readFileSync, statSync } from 'node:fs';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from '@jest/globals';
import { request } from '../../../support/http.ts';
import { startDynamodbInMemory } from '../../../support/shared-dynamodb.ts';
import { startTestStack } from '../../../support/stack.ts';

test('a started stack serves the functions, and closing it closes all its servers', async () => {
  const stack = await startTestStack({
    dynamodb: startDynamodbInMemory,
    sqsEndpoint: undefined,
    s3Endpoint: undefined,
  });
  expect(stack.payUrlBase).toBe(`${stack.baseUrl}/pay`);
  expect(process.env).toMatchObject({
    TABLE_NAME: stack.tableName,
    PAY_URL_BASE: stack.payUrlBase,
    OVERDUE_QUEUE_URL: stack.queueUrls.overdue.url,
    AWS_ENDPOINT_URL_DYNAMODB: stack.dynamodbEndpoint,
    AWS_ENDPOINT_URL_SQS: stack.sqsEndpoint,
    AWS_ENDPOINT_URL_S3: stack.s3Endpoint,
    BUCKET_NAME: stack.bucketName,
    DEPLOYMENT_SECRET_FILE: stack.deploymentSecretFile,
  });
  expect(statSync(stack.deploymentSecretFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(stack.deploymentSecretFile, 'utf8'))).toEqual({
    current: '1',
    1: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
  });

  const answer = await request({ baseUrl: stack.baseUrl, path: '/api/nowhere' });
  expect([answer.status, answer.json.error.code]).toEqual([401, 'missing_api_key']);
  expect(answer.headers['x-ratelimit-limit']).toBe('1000');

  // An address of this machine that a server on all interfaces accepts.
  const { port } = new URL(stack.dynamodbEndpoint);
  await expect(request({ baseUrl: `http://127.0.0.2:${port}`, path: '/' })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });

  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  await stack.schedule.run();
  for (const part of [stack.stream, stack.queues, stack.schedule]) part.resume();

  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint });
  await dynamodb.send(
    new GetItemCommand({ TableName: stack.tableName, Key: { pk: { S: 'a' }, sk: { S: 'b' } } }),
  );
  dynamodb.destroy();
  await Promise.all([stack.close(), stack.close()]);
  await expect(request({ baseUrl: stack.baseUrl, path: '/' })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
  for (const endpoint of [stack.sqsEndpoint, stack.dynamodbEndpoint])
    await expect(fetch(endpoint)).rejects.toThrow();
});

test('a canceled start leaves nothing running', async () => {
  const canceled = AbortSignal.abort(new Error('canceled'));
  let ended = 0;
  const dynamodb = async () => ({
    endpoint: 'http://127.0.0.1:9',
    close: async () => {
      ended += 1;
    },
  });
  await expect(startTestStack({ signal: canceled, dynamodb })).rejects.toThrow('canceled');
  expect(ended).toBe(1);
});
