/** The tag by which the table names its deployment secret, so that whoever knows the table finds both. */
export const deploymentSecretTag = 'remit:deployment-secret';
