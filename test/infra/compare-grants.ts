/** Compares the policies of the functions with the requests to IAM that they made. */
import { type GrantedFile, grantedFiles } from '../../infra/function-policies.ts';
import { compilePattern } from '../../infra/policies/patterns.ts';
import { Policy, type Statement } from '../../infra/policies/policy.ts';
import type { ObservedRequest } from './observed-calls.ts';

/** Each request names them. */
const keyAttributes = ['pk', 'sk'];

export interface GrantComparison {
  /** What a function asked for and its role does not allow. */
  readonly denied: readonly string[];
  /** What a role allows and its function never asked for. */
  readonly unneeded: readonly string[];
}

/** @param statementsOf returns the statements of a function's role */
export function compareGrants(
  requests: readonly ObservedRequest[],
  statementsOf: (file: GrantedFile) => readonly Statement[],
): GrantComparison {
  const denied = new Set<string>();
  const unneeded = new Set<string>();
  for (const file of grantedFiles) {
    const statements = statementsOf(file);
    const policy = new Policy(statements);
    const needs = new Map<Statement, ObservedRequest[]>();
    for (const request of requests.filter((each) => each.file === file)) {
      const refusal = policy.refusalOf(request);
      if (refusal !== undefined) denied.add(`The role of ${file} does not allow ${refusal}.`);
      // A statement is needed for the requests that no other statement allows.
      const [only, ...others] = policy.allowing(request);
      if (only && others.length === 0) needs.set(only, [...(needs.get(only) ?? []), request]);
    }
    for (const statement of statements)
      for (const part of unneededParts(statement, needs.get(statement) ?? []))
        unneeded.add(`${file} ${part}`);
  }
  return { denied: [...denied], unneeded: [...unneeded] };
}

/** Returns what a statement allows and the requests do not need: all of it, or some kinds of items or attributes. */
function unneededParts(
  { action, resource, conditions = {} }: Statement,
  requests: readonly ObservedRequest[],
): string[] {
  const name = `${action} on ${resource}`;
  const lists = Object.entries(conditions).filter(([operator]) => operator.startsWith('ForAllValues:'));
  const patternsOf = (key: string) => lists.flatMap(([, keys]) => [keys[key] ?? []].flat());
  const items = patternsOf('dynamodb:LeadingKeys');
  if (requests.length === 0) return [[name, ...items].join(' ')];
  const keys = requests.flatMap(({ leadingKeys = [] }) => leadingKeys);
  const named = requests.flatMap(({ attributes }) => attributes?.() ?? []);
  const attributes = patternsOf('dynamodb:Attributes').filter((each) => !keyAttributes.includes(each));
  return [
    ...items.filter((pattern) => !keys.some(compilePattern(pattern))),
    ...attributes
      .filter((pattern) => !named.some(compilePattern(pattern)))
      .map((pattern) => `${items.join(' ')} with the attribute ${pattern}`),
  ].map((part) => `${name} ${part}`);
}
