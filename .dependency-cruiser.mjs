// Defines which files may import which. `shared/` has seven floors, and a file imports only from its own floor and from those
// below. `npm run check -- directions` prints the comment of a rule for each import that breaks it: why the import is not
// allowed, and what to do instead.

/** The floors from the ground up, each with what belongs there. `docs/develop/architecture.md` explains them. */
const floors = {
  base: 'what knows nothing of Remit',
  platform: 'the way to AWS, secrets, and HTTP to addresses that others name',
  store: 'the table: keys, commits, lists, timers',
  domain: 'one folder for each resource, with its rules',
  api: 'the route table, the request pipeline, the OpenAPI document',
  operations: 'what happens without a request',
  web: 'pages of payers, the dashboard, the documentation',
};
const names = Object.keys(floors);
const floorRules = names.slice(0, -1).map((floor, index) => ({
  name: `floor-${floor}`,
  severity: 'error',
  comment: `The floor ${floor} holds ${floors[floor]}. It imports only from ${names.slice(0, index + 1).join(', ')}. Pass the value or the function as a parameter, or move the code up to the floor that it needs.`,
  from: { path: `^shared/${floor}/` },
  to: { path: `^shared/(${names.slice(index + 1).join('|')})/` },
}));

/** The order of the resources: each may use those before it. Webhooks come last, and nothing but the floors above uses them. */
const order = [
  'accounts',
  'events',
  'journal',
  'customers',
  'products',
  'invoices',
  'drafts',
  'schedules',
  'payments',
  'refunds',
  'documents',
  'mails',
  'webhooks',
];
const resourceRules = order.slice(1, -1).map((resource, index) => ({
  name: `resource-${resource}`,
  severity: 'error',
  comment: `The order of the resources is ${order.join(', ')}, and ${resource} imports only from those before it. Put the code into the resource that comes later.`,
  from: { path: `^shared/domain/(${order.slice(0, index + 2).join('|')})/` },
  to: { path: `^shared/domain/(${order.slice(index + 2).join('|')})/` },
}));
const resources = `^shared/domain/(${order.join('|')})/`;
const sdk = 'node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|client-sqs)/';

export default {
  forbidden: [
    ...floorRules,
    ...resourceRules,
    {
      name: 'no-cycles',
      severity: 'error',
      comment:
        'Files that import each other cannot be read or tested alone, and an import can see a value that is not set yet. Move what both need to a file that both import.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'routes-import-schemas-only',
      severity: 'error',
      comment:
        'Every function loads shared/api/routes.ts, so what it imports is in every bundle. Import the schemas of a resource from its file of types, and nothing else.',
      from: { path: '^shared/api/routes\\.ts$' },
      to: {
        pathNot:
          '^shared/(base/|domain/auth/permissions\\.ts$|domain/[^/]+/(event|customer|product|invoice|claim|draft|payment|refund|document|document-pdf|mail|journal|summary|customer-balance|search|statement|statement-file|row-decision|schedule|export|webhook|delivery|entry|key|account-resource|version-change)\\.ts$)|node_modules/valibot/',
      },
    },
    {
      name: 'pipeline-imports-no-resource',
      severity: 'error',
      comment:
        'The pipeline serves every route in the same way. Let the handler or the route table pass what differs.',
      from: { path: '^shared/(api/http|domain/auth)/' },
      to: { path: [resources, '^(functions|infra|cli)/'] },
    },
    {
      name: 'functions-import-no-documentation',
      severity: 'error',
      comment:
        'The texts of the documentation would be in the bundle of every function. Import shared/api/openapi and shared/web/docs only in functions/meta.',
      from: { path: '^(shared|functions)/', pathNot: '^(shared/(api/openapi|web/docs)|functions/meta)/' },
      to: { path: '^shared/(api/openapi|web/docs)/' },
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
      from: { path: resources },
      to: {
        path: '^shared/domain/[^/]+/(account|event|customer|product|invoice|claim|draft|payment|refund|webhook)-store\\.ts$',
        pathNot: '^shared/domain/$1/',
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
          '^shared/(store/|operations/outbox/backlog\\.ts$|domain/auth/rate-limit\\.ts$|.+-store\\.ts$)',
      },
      to: { path: sdk, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-http-and-batch-use-lambda-types',
      severity: 'error',
      comment:
        'Only the entry points know the events of Lambda. Convert the event in shared/api/http or shared/operations/background/batch.ts, and pass plain values on.',
      from: { path: '^shared/', pathNot: '^shared/(api/http/|operations/background/batch\\.ts$)' },
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
