// Defines which files may import which. The order is: single files in shared/, the store, the resources, the functions.
// A file may import only files of its own level and of earlier levels.
const resources = '^shared/(accounts|customers|invoices|payments|refunds|events|webhooks)/';
const sdk = 'node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|client-sqs)/';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-files-import-no-folder',
      severity: 'error',
      from: { path: '^shared/[^/]+\\.ts$', pathNot: '^shared/routes\\.ts$' },
      to: { path: '^(shared/[^/]+/|functions/|infra/|cli/)' },
    },
    {
      name: 'routes-import-schemas-only',
      severity: 'error',
      from: { path: '^shared/routes\\.ts$' },
      to: {
        pathNot:
          '^shared/([^/]+\\.ts$|auth/permissions\\.ts$|[^/]+/(event|customer|invoice|payment|refund|webhook|delivery|entry|key|version-change)\\.ts$)|node_modules/valibot/',
      },
    },
    {
      name: 'store-imports-no-resource',
      severity: 'error',
      from: { path: '^shared/(store|secrets)/' },
      to: { path: [resources, '^shared/(http|auth|outbox|outbound|background)/', '^(functions|infra|cli)/'] },
    },
    {
      name: 'pipeline-imports-no-resource',
      severity: 'error',
      from: { path: '^shared/(http|auth)/' },
      to: { path: [resources, '^(functions|infra|cli)/'] },
    },
    {
      name: 'functions-import-no-documentation',
      severity: 'error',
      comment: 'Otherwise the documentation texts would be in the bundle of every function.',
      from: { path: '^(shared|functions)/', pathNot: '^(shared/(openapi|docs)|functions/meta)/' },
      to: { path: '^shared/(openapi|docs)/' },
    },
    {
      name: 'accounts-and-events-import-no-other-resource',
      severity: 'error',
      from: { path: '^shared/(accounts|events)/' },
      to: { path: '^shared/(customers|invoices|payments|refunds|webhooks)/' },
    },
    {
      name: 'customers-import-no-other-resource',
      severity: 'error',
      from: { path: '^shared/customers/' },
      to: { path: '^shared/(invoices|payments|refunds|webhooks)/' },
    },
    {
      name: 'invoices-import-no-payment',
      severity: 'error',
      from: { path: '^shared/invoices/' },
      to: { path: '^shared/(payments|refunds|webhooks)/' },
    },
    {
      name: 'payments-import-no-refund',
      severity: 'error',
      from: { path: '^shared/payments/' },
      to: { path: '^shared/(refunds|webhooks)/' },
    },
    {
      name: 'shared-imports-nothing-outside',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|infra|cli|test|bench)/' },
    },
    {
      name: 'functions-import-only-shared',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(functions|infra|cli|test)/' },
    },
    {
      name: 'infra-imports-no-local-stack',
      severity: 'error',
      comment:
        'The local stack reads the definitions of the CDK app. The CDK app does not need the local stack.',
      from: { path: '^infra/[^/]+\\.ts$' },
      to: { path: '^infra/local/' },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      comment: 'The client is published separately and also runs without Node.js.',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'no-store-of-another-resource',
      severity: 'error',
      from: {
        path: '^shared/(accounts|customers|invoices|payments|refunds|events|webhooks)/',
      },
      to: {
        path: '^shared/(accounts|customers|invoices|payments|refunds|events|webhooks)/store\\.ts$',
        pathNot: '^shared/$1/',
      },
    },
    {
      name: 'only-stores-use-the-sdk',
      severity: 'error',
      from: {
        path: '^(shared|functions)/',
        pathNot:
          '^shared/(store/|outbox/backlog\\.ts$|auth/rate-limit\\.ts$|.+/((append|key|hour-count|lease|log|test-provider|delivery|health|maintenance|digest|session|member|reference)-)?store\\.ts$)',
      },
      to: { path: sdk, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-http-and-batch-use-lambda-types',
      severity: 'error',
      from: { path: '^shared/', pathNot: '^shared/(http/|background/batch\\.ts$)' },
      to: { path: 'node_modules/@types/aws-lambda/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.mjs', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
