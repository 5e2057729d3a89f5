/** The table tag that contains the ARN of the deployment secret. A command that knows the table can find its secret. */
export const deploymentSecretTag = 'remit:deployment-secret';
