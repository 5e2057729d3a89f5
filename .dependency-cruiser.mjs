// Defines which files may import which. The order is: single files in shared/, the store, the resources, the functions.
// A file may import only files of its own level and of earlier levels. `npm run check -- directions` prints the comment of a rule
// for each import that breaks it: why the import is not allowed, and what to do instead.
const resources = '^shared/(accounts|customers|invoices|payments|refunds|events|webhooks)/';
const sdk = 'node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|client-sqs)/';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'Files that import each other cannot be read or tested alone, and an import can see a value that is not set yet. Move what both need to a file that both import.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-files-import-no-folder',
      severity: 'error',
      comment:
        'Files directly in shared/ are leaves that every folder may import. Pass the value as a parameter, or move the file to the folder that it needs.',
      from: { path: '^shared/[^/]+\\.ts$', pathNot: '^shared/routes\\.ts$' },
      to: { path: '^(shared/[^/]+/|functions/|infra/|cli/)' },
    },
    {
      name: 'routes-import-schemas-only',
      severity: 'error',
      comment:
        'Every function loads shared/routes.ts, so what it imports is in every bundle. Import the schemas of a resource from its file of types, and nothing else.',
      from: { path: '^shared/routes\\.ts$' },
      to: {
        pathNot:
          '^shared/([^/]+\\.ts$|auth/permissions\\.ts$|[^/]+/(event|customer|invoice|payment|refund|webhook|delivery|entry|key|version-change)\\.ts$)|node_modules/valibot/',
      },
    },
    {
      name: 'store-imports-no-resource',
      severity: 'error',
      comment:
        'The store knows items, not resources. Let the resource pass what differs, such as the attributes in its record.ts.',
      from: { path: '^shared/(store|secrets)/' },
      to: { path: [resources, '^shared/(http|auth|outbox|outbound|background)/', '^(functions|infra|cli)/'] },
    },
    {
      name: 'pipeline-imports-no-resource',
      severity: 'error',
      comment:
        'The pipeline serves every route in the same way. Let the handler or the route table pass what differs.',
      from: { path: '^shared/(http|auth)/' },
      to: { path: [resources, '^(functions|infra|cli)/'] },
    },
    {
      name: 'functions-import-no-documentation',
      severity: 'error',
      comment:
        'The texts of the documentation would be in the bundle of every function. Import shared/openapi and shared/docs only in functions/meta.',
      from: { path: '^(shared|functions)/', pathNot: '^(shared/(openapi|docs)|functions/meta)/' },
      to: { path: '^shared/(openapi|docs)/' },
    },
    {
      name: 'accounts-and-events-import-no-other-resource',
      severity: 'error',
      comment:
        'Accounts and events come first in the order of the resources, and every resource may use them. Put the code into the resource that comes later.',
      from: { path: '^shared/(accounts|events)/' },
      to: { path: '^shared/(customers|invoices|payments|refunds|webhooks)/' },
    },
    {
      name: 'customers-import-no-other-resource',
      severity: 'error',
      comment:
        'Customers come before invoices, payments, refunds and webhooks. Put the code into the resource that comes later.',
      from: { path: '^shared/customers/' },
      to: { path: '^shared/(invoices|payments|refunds|webhooks)/' },
    },
    {
      name: 'invoices-import-no-payment',
      severity: 'error',
      comment:
        'Invoices come before payments, refunds and webhooks. Put the code into shared/payments or shared/refunds.',
      from: { path: '^shared/invoices/' },
      to: { path: '^shared/(payments|refunds|webhooks)/' },
    },
    {
      name: 'payments-import-no-refund',
      severity: 'error',
      comment: 'Payments come before refunds and webhooks. Put the code into shared/refunds.',
      from: { path: '^shared/payments/' },
      to: { path: '^shared/(refunds|webhooks)/' },
    },
    {
      name: 'shared-imports-nothing-outside',
      severity: 'error',
      comment:
        'The functions bundle shared/, so it cannot depend on their callers, the infrastructure or tests. Move what it needs to shared/.',
      from: { path: '^shared/' },
      to: { path: '^(functions|infra|cli|test|bench)/' },
    },
    {
      name: 'functions-import-only-shared',
      severity: 'error',
      comment:
        'Each function is deployed alone with its own rights. Move what two functions share to shared/.',
      from: { path: '^functions/' },
      to: { path: '^(functions|infra|cli|test)/' },
    },
    {
      name: 'infra-imports-no-local-stack',
      severity: 'error',
      comment:
        'The local stack reads the definitions of the CDK app, and the app does not need the local stack. Move what both need to infra/.',
      from: { path: '^infra/[^/]+\\.ts$' },
      to: { path: '^infra/local/' },
    },
    {
      name: 'client-imports-nothing',
      severity: 'error',
      comment:
        'The client is published separately, and also runs without Node.js. Write in client/src what it needs.',
      from: { path: '^client/src/' },
      to: { pathNot: '^client/src/' },
    },
    {
      name: 'no-store-of-another-resource',
      severity: 'error',
      comment:
        'The store of a resource guards its records. Use the commands and the records of the other resource, or let the caller read it and pass it on.',
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
      comment:
        'AWS is called in stores only, where retries, deadlines and grants are known. Add a function to the store of the resource, and call it here.',
      from: {
        path: '^(shared|functions)/',
        pathNot:
          '^shared/(store/|outbox/backlog\\.ts$|auth/rate-limit\\.ts$|.+/((append|key|public-key|hour-count|lease|log|test-provider|delivery|health|maintenance|digest|session|member|reference)-)?store\\.ts$)',
      },
      to: { path: sdk, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-http-and-batch-use-lambda-types',
      severity: 'error',
      comment:
        'Only the entry points know the events of Lambda. Convert the event in shared/http or shared/background/batch.ts, and pass plain values on.',
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
