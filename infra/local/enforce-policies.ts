/**
 * Makes a call of a function fail as on AWS, if the role of the function does not allow it. DynamoDB Local and the queue server know
 * no roles.
 */
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { grantedFiles, statementsOf } from '../function-policies.ts';
import { Policy } from '../policies/policy.ts';
import { listenToCalls, type StackResources } from './function-calls.ts';

/**
 * Begins to enforce the policies of all functions. A call that is not allowed then rejects with `AccessDeniedException`.
 * @returns a function that ends this
 */
export async function enforcePolicies(resources: StackResources): Promise<() => void> {
  const policies = new Map<string, Policy>(
    grantedFiles.map((file) => [file, new Policy(statementsOf(file))]),
  );
  const noPolicy = new Policy([]);
  return listenToCalls(resources, (file, requests) => {
    const policy = policies.get(file) ?? noPolicy;
    for (const request of requests) {
      const refusal = policy.refusalOf(request);
      if (refusal !== undefined) throw accessDenied(file, refusal);
    }
  });
}

/** Returns the error of AWS, with a text that says what is missing. */
function accessDenied(file: string, refusal: string): Error {
  const message = `The role of ${file} does not allow ${refusal}. Grant it in infra/grants.ts, or leave out the call.`;
  const $metadata = { httpStatusCode: 400 };
  return new DynamoDBServiceException({
    name: 'AccessDeniedException',
    message,
    $fault: 'client',
    $metadata,
  });
}
