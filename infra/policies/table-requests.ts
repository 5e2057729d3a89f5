/**
 * Says what IAM decides about a call to the table: its actions, and the values of the condition keys of DynamoDB.
 *
 * The sources are https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html (condition keys)
 * and https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html (transactions):
 *
 * - Each action of a transaction needs the permission of the call that it stands for, and `ConditionCheckItem` for a check. A
 *   batch is one request with all of its keys.
 * - `dynamodb:LeadingKeys` are the partition keys. A scan has none.
 * - `dynamodb:Attributes` are the top-level attributes that the request names: in its key, its item and all of its
 *   expressions. The attributes of the primary key always count. The attributes of a response do not.
 * - `dynamodb:Select` and `dynamodb:ReturnValues` are the parameters of the request, or their defaults. The documents do not
 *   say whether a read by key has a `Select`. Here it has one, because a policy then has to work in both cases.
 */

/** A request to IAM: one action on one resource. */
export interface AccessRequest {
  /** For example `dynamodb:GetItem`. */
  readonly action: string;
  /** For example `table` or `queue webhook`. */
  readonly resource: string;
  /** The partition keys. Undefined: the request has none. */
  readonly leadingKeys?: readonly string[] | undefined;
  /** Returns the names of attributes. Most policies do not ask for them. */
  readonly attributes?: () => readonly string[];
  readonly select?: string | undefined;
  readonly returnValues?: string | undefined;
  /** The prefix of a list of objects. */
  readonly prefix?: string | undefined;
}

/** The input of a command, or one action of a transaction or a batch. Values are in the form of the SDK or of DynamoDB. */
interface Input {
  readonly TableName: string;
  readonly Key?: Values;
  /** Of a batch. */
  readonly Keys?: readonly Values[];
  readonly Item?: Values;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Values;
  readonly Select?: string;
  readonly ReturnValues?: string;
}
type Values = Readonly<Record<string, unknown>>;

interface BatchWrite {
  readonly PutRequest?: { readonly Item: Values };
  readonly DeleteRequest?: { readonly Key: Values };
}
interface Batch {
  readonly RequestItems?: Readonly<Record<string, unknown>>;
  readonly TransactItems?: readonly object[];
}

const keyAttributes = ['pk', 'sk'];

/**
 * Returns the requests to IAM for a call.
 * @param commandName the name of the SDK's command, such as `GetCommand` or `TransactWriteItemsCommand`
 * @param tableName the name of the table that requests call `table`
 * @throws Error if the command is not known
 */
export function requestsOf(commandName: string, input: object, tableName: string): AccessRequest[] {
  const resourceOf = (name: string) => (name === tableName ? 'table' : `table ${name}`);
  const toRequest = (kind: string, one: Input) => itemRequest(kind, resourceOf(one.TableName), one);
  const operation = commandName.replace(/(Items?)?(Command)?$/, '');
  const { RequestItems = {}, TransactItems = [] } = input as Batch;
  switch (operation) {
    case 'TransactWrite':
    case 'TransactGet':
      return TransactItems.flatMap((item) =>
        Object.entries(item).map(([kind, one]) => toRequest(kind, one as Input)),
      );
    case 'BatchGet':
      return Object.entries(RequestItems).map(([name, part]) =>
        itemRequest('BatchGet', resourceOf(name), part as Input),
      );
    case 'BatchWrite':
      return Object.entries(RequestItems).map(([name, writes]) =>
        batchWriteRequest(resourceOf(name), writes as readonly BatchWrite[]),
      );
    case 'Get':
    case 'Put':
    case 'Update':
    case 'Delete':
    case 'Query':
    case 'Scan':
      return [toRequest(operation, input as Input)];
    default:
      throw new Error(
        `The permissions that ${commandName} needs are not known. Add it in table-requests.ts.`,
      );
  }
}

const reads = new Set(['Get', 'BatchGet', 'Query', 'Scan']);
const writes = new Set(['Put', 'Update', 'Delete']);

function itemRequest(kind: string, resource: string, input: Input): AccessRequest {
  return {
    action: kind === 'Query' || kind === 'Scan' ? `dynamodb:${kind}` : `dynamodb:${kind}Item`,
    resource,
    leadingKeys: leadingKeysOf(input),
    attributes: () => attributesOf(input),
    select: reads.has(kind)
      ? (input.Select ?? (input.ProjectionExpression ? 'SPECIFIC_ATTRIBUTES' : 'ALL_ATTRIBUTES'))
      : undefined,
    returnValues: writes.has(kind) ? (input.ReturnValues ?? 'NONE') : undefined,
  };
}

function batchWriteRequest(resource: string, batch: readonly BatchWrite[]): AccessRequest {
  const items = batch.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {});
  return {
    action: 'dynamodb:BatchWriteItem',
    resource,
    leadingKeys: items.map(partitionOf),
    attributes: () => [...new Set([...keyAttributes, ...items.flatMap(namesOf)])],
  };
}

function leadingKeysOf(input: Input): string[] | undefined {
  const { Key, Keys, Item, KeyConditionExpression, ExpressionAttributeValues = {} } = input;
  if (Keys) return Keys.map(partitionOf);
  if (Key ?? Item) return [partitionOf((Key ?? Item) as Values)];
  if (KeyConditionExpression === undefined) return undefined;
  const [, name = '', value = ''] = /([\w#]+)\s*=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
  if (resolveName(name, input) !== 'pk') throw new Error('A query must name its partition key first.');
  return [textOf(ExpressionAttributeValues[value])];
}

const partitionOf = ({ pk }: Values): string => textOf(pk);
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : String((value as { readonly S?: string } | undefined)?.S);

function attributesOf(input: Input): string[] {
  const names = new Set([...keyAttributes, ...namesOf(input.Item ?? {})]);
  for (const expression of [
    input.KeyConditionExpression,
    input.FilterExpression,
    input.ProjectionExpression,
    input.ConditionExpression,
    input.UpdateExpression,
  ]) {
    if (expression) for (const name of pathRootsOf(expression)) names.add(resolveName(name, input));
  }
  return [...names];
}

const namesOf = (item: Values): string[] => Object.keys(item).filter((name) => item[name] !== undefined);

const resolveName = (name: string, { ExpressionAttributeNames: names = {} }: Input): string =>
  name.startsWith('#') ? (names[name] ?? name) : name;

const keywords = /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|BETWEEN|IN)$/i;
/** The roots of the paths in recent expressions. Some expressions contain a number for each of their values. */
const knownRoots = new Map<string, readonly string[]>();
const maxKnown = 1_000;

/** Returns the first part of each path of an expression: an attribute, or its placeholder. */
function pathRootsOf(expression: string): readonly string[] {
  const known = knownRoots.get(expression);
  if (known) return known;
  const roots = new Set<string>();
  // What follows a dot is nested in an attribute, and what precedes a parenthesis is a function.
  for (const [, name = ''] of expression.matchAll(/(?<![\w:#.]|\.\s+)(#\w+|[A-Za-z_]\w*)(?!\w|\s*\()/g))
    if (!keywords.test(name)) roots.add(name);
  if (knownRoots.size >= maxKnown) knownRoots.clear();
  const found = [...roots];
  knownRoots.set(expression, found);
  return found;
}
