/**
 * How the test run's DynamoDB is handed on: its endpoint in the environment to the tests, its handle to the
 * teardown.
 */
export const endpointVariable = 'REMIT_TEST_DYNAMODB_ENDPOINT';

export interface GlobalHandle {
  testDynamodb?: { close(): Promise<void> };
}

/** The endpoint of the run's DynamoDB. Throws outside of `npm test`. */
export function testDynamodbEndpoint(): string {
  const endpoint = process.env[endpointVariable];
  if (!endpoint) throw new Error(`${endpointVariable} is not set: run the tests with npm test.`);
  return endpoint;
}
