/**
 * What must outlive every deployment: the table, the deployment secret and the dead-letter queues. It knows
 * nothing of the functions that use them.
 */
import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { deadLetterQueues, type Queues } from './queues.ts';
import { createTable } from './table.ts';

export interface StatefulProps extends StackProps {
  /** Whether data go when the stack goes; otherwise they stay, and the table cannot even be deleted by hand. */
  readonly disposable: boolean;
}

export class StatefulStack extends Stack {
  readonly table: Table;
  readonly deploymentSecret: Secret;
  readonly deadLetters: Queues;

  constructor(scope: Construct, id: string, { disposable, ...props }: StatefulProps) {
    super(scope, id, props);
    const removalPolicy = disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.table = createTable(this, removalPolicy);
    this.deploymentSecret = deploymentSecret(this, removalPolicy);
    this.deadLetters = deadLetterQueues(this, removalPolicy);

    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    new CfnOutput(this, 'DeploymentSecretArn', { value: this.deploymentSecret.secretArn });
  }
}

/** Version 1 of the secret, in the form that `shared/secrets` reads; CloudFormation makes it, nobody sees it. */
function deploymentSecret(scope: Construct, removalPolicy: RemovalPolicy): Secret {
  return new Secret(scope, 'DeploymentSecret', {
    description: 'Remit: keys of API keys, fingerprints and hashes. Never remove a version.',
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ current: '1' }),
      generateStringKey: '1',
      passwordLength: 64,
      excludePunctuation: true,
      includeSpace: false,
    },
    removalPolicy,
  });
}
