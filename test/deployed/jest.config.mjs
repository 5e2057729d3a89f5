// Configures `npm run test:deployed`: the tests that need only the URL of the service and their own accounts. With
// REMIT_DASHBOARD, the output DashboardUrl, they also test the dashboard.
import everything from '../../jest.config.mjs';

const { REMIT_URL, REMIT_TABLE } = process.env;
if (!REMIT_TABLE || !URL.canParse(REMIT_URL ?? '')) {
  process.stderr.write(
    'Set REMIT_URL and REMIT_TABLE to the outputs ApiUrl and TableName of a deployment.\n',
  );
  process.exit(1);
}

// The global setup and teardown start and stop DynamoDB Local, which these tests do not need.
const { globalSetup: _, globalTeardown: __, testRegex: ___, ...common } = everything;

export default {
  ...common,
  rootDir: '../..',
  testMatch: [
    'deployed/*',
    'api/invoices/list-parameters',
    'api/payments/{card,races}',
    'api/refunds/races',
  ].map((files) => `<rootDir>/test/${files}.test.ts`),
};
