/** Tests changes of secrets in Secrets Manager. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeSecret } from '../../../shared/platform/secrets/change-secret.ts';
import { useAwsServers } from '../../support/aws-servers.ts';
import { type SecretsServer, startSecretsManager } from '../../support/secrets-server.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:deployment-a1B2c3';
let restoreEnvironment: () => void;
let server: SecretsServer;

beforeAll(async () => {
  server = await startSecretsManager({ [arn]: '{"current":"0"}' });
  restoreEnvironment = useAwsServers({ SECRETS_MANAGER: server.endpoint });
});
afterAll(async () => {
  restoreEnvironment();
  await server.close();
});

const location = { file: undefined, arn };
const set = (current: string) => changeSecret(location, () => ({ current }));

test('a secret can be changed more often than it can have labels', async () => {
  for (let change = 1; change <= 25; change++) await set(String(change));
  expect(server.values.get(arn)).toBe('{"current":"25"}');
});

test('of two changes at the same time, one is refused, and none is lost', async () => {
  const results = await Promise.allSettled([set('a'), set('b')]);
  const kept = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [['a', 'b'][index]] : []));
  expect(kept).toHaveLength(1);
  expect(server.values.get(arn)).toBe(JSON.stringify({ current: kept[0] }));
});
