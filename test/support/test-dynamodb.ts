/** Passes the DynamoDB of the test run on: its endpoint to the tests, and its handle to the teardown. */
export const endpointVariable = 'REMIT_TEST_DYNAMODB_ENDPOINT';

export interface GlobalHandle {
  testDynamodb?: { close(): Promise<void> };
}

/** Returns the endpoint of the run's DynamoDB. Throws outside of `npm test`. */
export function testDynamodbEndpoint(): string {
  const endpoint = process.env[endpointVariable];
  if (!endpoint) throw new Error(`${endpointVariable} is not set. Run the tests with npm test.`);
  return endpoint;
}
