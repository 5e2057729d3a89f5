/** Defines `remit deployment`: shows the names that other tools need, such as the AWS command line. */
import type { CommandGroup } from './command.ts';
import { connectTable, tableHelp, withDeploymentOptions } from './table-connection.ts';

const commands = withDeploymentOptions({
  show: {
    about: 'Show the table of a deployment, the stream of the table and the secrets.',
    examples: ['npx remit deployment show --stage prod', 'npx remit deployment show --stage prod --json'],
    run: async () => {
      await connectTable();
      const { findStreamArn } = await import('./table-location.ts');
      const { TABLE_NAME: table = '', DEPLOYMENT_SECRET_ARN: secret = null } = process.env;
      const { WEBHOOK_SECRET_ARN: webhookSecret = null, KEY_SECRET_ARN: keySecret = null } = process.env;
      const { PROVIDER_SECRET_ARN: providerSecret = null, AUDIT_SECRET_ARN: auditSecret = null } =
        process.env;
      const { SIGNING_SECRET_ARN: signingSecret = null } = process.env;
      const stream = (await findStreamArn(table)) ?? null;
      const rows = [
        ['table', table],
        ['stream', stream ?? 'none'],
        ['secret', secret ?? 'a file of the local stack'],
        ['webhook secret', webhookSecret ?? 'a file of the local stack'],
        ['key secret', keySecret ?? 'a file of the local stack'],
        ['provider secret', providerSecret ?? 'a file of the local stack'],
        ['audit secret', auditSecret ?? 'a file of the local stack'],
        ['signing secret', signingSecret ?? 'a file of the local stack'],
      ];
      return {
        json: { table, stream, secret, webhookSecret, keySecret, providerSecret, auditSecret, signingSecret },
        table: { rows },
      };
    },
  },
});

export const deploymentCommands: CommandGroup = {
  about: 'Show the table and the secrets of a deployment.',
  details: tableHelp,
  commands,
};
