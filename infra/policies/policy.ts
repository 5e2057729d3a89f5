/**
 * Evaluates IAM policies as AWS does, for the parts of IAM that this project uses.
 *
 * - Nothing is allowed without a statement that allows it. One statement must allow the whole request.
 * - `ForAllValues` is also true if the request does not have the key, and so are the operators that end with `IfExists`. All
 *   other operators are then false. See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-single-vs-multi-valued-context-keys.html.
 * - A policy that uses any other part of IAM is an error, so no condition is ignored.
 */
import { compilePattern, type Matcher } from './patterns.ts';
import type { AccessRequest } from './table-requests.ts';

/** A statement that allows an action on a resource. */
export interface Statement {
  /** For example `dynamodb:GetItem`. */
  readonly action: string;
  /** A name, or a pattern of names. */
  readonly resource: string;
  /** By operator and key, as in IAM. */
  readonly conditions?: Conditions | undefined;
}
export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** A condition that does not hold for a request. */
interface Failure {
  readonly key: ConditionKey;
  /** The values that it does not allow. */
  readonly values: readonly string[];
}
interface CompiledStatement {
  readonly statement: Statement;
  readonly conditions: readonly Condition[];
}

/** The values of a condition key in a request. Undefined: it does not have the key. */
const contextOf = {
  'dynamodb:LeadingKeys': ({ leadingKeys }: AccessRequest) => leadingKeys,
  'dynamodb:Attributes': ({ attributes }: AccessRequest) => attributes?.(),
  'dynamodb:Select': ({ select }: AccessRequest) => select && [select],
  'dynamodb:ReturnValues': ({ returnValues }: AccessRequest) => returnValues && [returnValues],
  's3:prefix': ({ prefix }: AccessRequest) => prefix && [prefix],
} as const satisfies Record<string, (request: AccessRequest) => readonly string[] | '' | undefined>;
type ConditionKey = keyof typeof contextOf;

/** The policy of a role. */
export class Policy {
  /** By action and resource. */
  readonly #statements = new Map<string, CompiledStatement[]>();
  /** The statements whose resource is a pattern, by action. */
  readonly #ofPatterns = new Map<string, (CompiledStatement & { readonly matches: Matcher })[]>();

  /** @throws Error if a statement uses a part of IAM that this file does not know */
  constructor(statements: readonly Statement[]) {
    for (const statement of statements) {
      const { action, resource, conditions = {} } = statement;
      if (/[*?]/.test(action)) throw new Error(`The action ${action} is not exact.`);
      const name = `${action} ${resource}`;
      const compiled = { statement, conditions: compileConditions(conditions) };
      if (/[*?]/.test(resource)) {
        const known = this.#ofPatterns.get(action) ?? [];
        this.#ofPatterns.set(action, [...known, { ...compiled, matches: compilePattern(resource) }]);
        continue;
      }
      this.#statements.set(name, [...(this.#statements.get(name) ?? []), compiled]);
    }
  }

  /**
   * Returns what the policy does not allow, as the end of the sentence "The role does not allow …". Undefined if it allows the
   * request.
   */
  refusalOf(request: AccessRequest): string | undefined {
    const candidates = this.#candidates(request);
    return candidates.some((each) => allows(each, request))
      ? undefined
      : describeRefusal(request, candidates);
  }

  /** Returns all statements that allow a request. */
  allowing(request: AccessRequest): Statement[] {
    return this.#candidates(request)
      .filter((each) => allows(each, request))
      .map(({ statement }) => statement);
  }

  #candidates({ action, resource }: AccessRequest): CompiledStatement[] {
    const exact = this.#statements.get(`${action} ${resource}`) ?? [];
    const patterns = this.#ofPatterns.get(action);
    return patterns ? [...exact, ...patterns.filter(({ matches }) => matches(resource))] : exact;
  }
}

const allows = ({ conditions }: CompiledStatement, request: AccessRequest): boolean =>
  conditions.every((condition) => condition.holds(request));

/** One operator with one key. */
class Condition {
  readonly key: ConditionKey;
  readonly #matchers: readonly Matcher[];
  readonly #exact: ReadonlySet<string>;
  readonly #ifMissing: boolean;
  /** The pattern that matched last. The keys of a batch are mostly of one kind. */
  #last: Matcher | undefined;

  constructor(operator: string, key: ConditionKey, values: readonly string[]) {
    const [, set, kind, ifExists] =
      /^(ForAllValues:)?(StringEquals|StringLike|Null)(IfExists)?$/.exec(operator) ?? [];
    const isMultiValued = key === 'dynamodb:LeadingKeys' || key === 'dynamodb:Attributes';
    const isNull = kind === 'Null' && values.join() === 'false' && !set && !ifExists;
    if (!kind || (kind === 'Null' ? !isNull : isMultiValued !== (set !== undefined)))
      throw new Error(`The condition ${operator} of ${key} is not known. Add it in policy.ts.`);
    this.key = key;
    this.#ifMissing = set !== undefined || ifExists !== undefined;
    const isPattern = (value: string) => isNull || (kind === 'StringLike' && /[*?]/.test(value));
    this.#exact = new Set(values.filter((value) => !isPattern(value)));
    this.#matchers = isNull ? [() => true] : values.filter(isPattern).map(compilePattern);
  }

  holds(request: AccessRequest): boolean {
    const values = contextOf[this.key](request);
    if (!values || values.length === 0) return this.#ifMissing;
    for (const value of values) if (!this.#matches(value)) return false;
    return true;
  }

  /** Returns the values of a request that this condition does not allow. Undefined if it holds. */
  failureOf(request: AccessRequest): Failure | undefined {
    if (this.holds(request)) return undefined;
    const values = contextOf[this.key](request) || [];
    return { key: this.key, values: values.filter((value) => !this.#matches(value)) };
  }

  #matches(value: string): boolean {
    if (this.#exact.has(value) || this.#last?.(value)) return true;
    this.#last = this.#matchers.find((matches) => matches(value)) ?? this.#last;
    return this.#last?.(value) ?? false;
  }
}

function compileConditions(conditions: Conditions): Condition[] {
  const compiled = Object.entries(conditions).flatMap(([operator, keys]) =>
    Object.entries(keys).map(([key, values]) => {
      if (!(key in contextOf)) throw new Error(`The condition key ${key} is not known. Add it in policy.ts.`);
      return new Condition(operator, key as ConditionKey, [values].flat());
    }),
  );
  // The partition key first: it decides most requests, and costs least.
  const rank = ({ key }: Condition) => Object.keys(contextOf).indexOf(key);
  return compiled.sort((one, other) => rank(one) - rank(other));
}

/** How many keys of a batch a refusal names. */
const shownKeys = 3;

/** Says what no statement allows, by the statement that allows the most. */
function describeRefusal(request: AccessRequest, candidates: readonly CompiledStatement[]): string {
  const { action, resource, leadingKeys } = request;
  const keys = [...new Set(leadingKeys)];
  const others = keys.length > shownKeys ? ` and ${keys.length - shownKeys} others` : '';
  const on = leadingKeys ? ` on ${keys.slice(0, shownKeys).join(', ')}${others}` : ` on ${resource}`;
  const failures = candidates
    .map(({ conditions }) => conditions.flatMap((condition) => condition.failureOf(request) ?? []))
    .filter((each) => each.every(({ key }) => key !== 'dynamodb:LeadingKeys'))
    .sort((one, other) => size(one) - size(other));
  const [closest] = failures;
  if (!closest) return `${action}${on}`;
  const missing = closest.map(({ key, values }) => `${key} ${values.join(', ') || '(missing)'}`);
  const isSplit = failures.length > 1;
  const hint = isSplit ? '. One statement must allow the whole request' : '';
  return `${action}${on} with ${missing.join(' and ')}${hint}`;
}

const size = (failures: readonly Failure[]) =>
  failures.reduce((sum, { values }) => sum + 1 + values.length, 0);
