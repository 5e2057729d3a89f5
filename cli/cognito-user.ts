/** Creates users in the Cognito user pool of a deployment. Cognito sends each new user a temporary password by e-mail. */
import {
  AdminCreateUserCommand,
  CognitoIdentityProviderClient,
  UsernameExistsException,
} from '@aws-sdk/client-cognito-identity-provider';

/**
 * Creates the user with this address, with the operator's AWS credentials. Only the owner of the address gets the temporary
 * password, so the address counts as verified.
 * @returns false if the pool already has the user
 */
export async function createCognitoUser(userPoolId: string, email: string): Promise<boolean> {
  const client = new CognitoIdentityProviderClient();
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
