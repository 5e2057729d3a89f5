/**
 * Creates users in the Cognito user pool of a deployment. Cognito sends each new user a temporary password by e-mail. A
 * separate file, so only the bundle of the function that needs it contains the client.
 */
import {
  AdminCreateUserCommand,
  CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';

/** Twice this time is shorter than a function runs, so a user of the dashboard still gets an answer. */
const timeouts = { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true };

/**
 * Creates the user with this address. Only the owner of the address gets the temporary password, so the address counts as
 * verified.
 * @returns false if the pool already has the user
 * @throws the error of Cognito, or of the network
 */
export async function createPoolUser(userPoolId: string, email: string): Promise<boolean> {
  const client = new CognitoIdentityProviderClient({ maxAttempts: 2, requestHandler: timeouts });
  try {
    await client.send(
      new AdminCreateUserCommand({
        UserPoolId: userPoolId,
        Username: email,
        DesiredDeliveryMediums: ['EMAIL'],
        UserAttributes: [
          { Name: 'email', Value: email },
          { Name: 'email_verified', Value: 'true' },
        ],
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof UsernameExistsException) return false;
    throw error;
  } finally {
    client.destroy();
  }
}
