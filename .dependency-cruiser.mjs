// Who may import whom. `a ← b`: b may import a. Leaves ← store ← nouns ← functions.
const nouns = '^shared/(accounts|invoices|payments|refunds|events|webhooks)/';
const sdk = 'node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|client-sqs)/';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'leaves-know-nothing-above',
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
          '^shared/([^/]+\\.ts$|[^/]+/(event|invoice|payment|refund|webhook|delivery)\\.ts$)|node_modules/valibot/',
      },
    },
    {
      name: 'store-knows-no-noun',
      severity: 'error',
      from: { path: '^shared/(store|secrets)/' },
      to: { path: [nouns, '^shared/(http|admission|idempotency)/', '^(functions|infra|cli)/'] },
    },
    {
      name: 'pipeline-knows-no-noun',
      severity: 'error',
      from: { path: '^shared/(http|admission|idempotency)/' },
      to: { path: [nouns, '^(functions|infra|cli)/'] },
    },
    {
      name: 'texts-are-in-no-endpoint',
      severity: 'error',
      comment: 'What is written for people would be loaded with every request.',
      from: { path: '^(shared|functions)/', pathNot: '^(shared/(openapi|docs)|functions/meta)/' },
      to: { path: '^shared/(openapi|docs)/' },
    },
    {
      name: 'nouns-in-order',
      severity: 'error',
      from: { path: '^shared/(accounts|events)/' },
      to: { path: '^shared/(invoices|payments|refunds|webhooks)/' },
    },
    {
      name: 'invoices-before-payments',
      severity: 'error',
      from: { path: '^shared/invoices/' },
      to: { path: '^shared/(payments|refunds|webhooks)/' },
    },
    {
      name: 'payments-before-refunds',
      severity: 'error',
      from: { path: '^shared/payments/' },
      to: { path: '^shared/(refunds|webhooks)/' },
    },
    {
      name: 'shared-is-below',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|infra|cli|test|bench)/' },
    },
    {
      name: 'functions-stand-alone',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(functions|infra|cli|test)/' },
    },
    {
      name: 'client-needs-nothing',
      severity: 'error',
      comment: 'It is shipped on its own, and runs where there is no Node.',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'a-store-is-its-nouns-own',
      severity: 'error',
      from: {
        path: '^shared/(accounts|invoices|payments|refunds|events|webhooks)/',
        pathNot: '^shared/webhooks/publish\\.ts$',
      },
      to: {
        path: '^shared/(accounts|invoices|payments|refunds|events|webhooks)/store\\.ts$',
        pathNot: '^shared/$1/',
      },
    },
    {
      name: 'only-stores-use-the-sdk',
      severity: 'error',
      from: {
        path: '^(shared|functions)/',
        pathNot: '^shared/(store/|[^/]+/((key|log|test-provider|delivery|health)-)?store\\.ts$)',
      },
      to: { path: sdk, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-the-edges-know-the-gateway',
      severity: 'error',
      from: { path: '^shared/', pathNot: '^shared/(http/(api-event|endpoint)|batch)\\.ts$' },
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
