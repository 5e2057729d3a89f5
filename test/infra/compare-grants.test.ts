import { expect, test } from '@jest/globals';
import { grantedFiles } from '../../infra/function-policies.ts';
import type { Statement } from '../../infra/policies/policy.ts';
import { compareGrants } from './compare-grants.ts';
import type { ObservedRequest } from './observed-calls.ts';

const file = 'functions/invoices/get.ts';
const on = (action: string, ...patterns: string[]): Statement => ({
  action: `dynamodb:${action}`,
  resource: 'table',
  conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } },
});
const asks = (action: string, key: string): ObservedRequest => ({
  file,
  action: `dynamodb:${action}`,
  resource: 'table',
  leadingKeys: [key],
  attributes: () => ['pk', 'sk'],
});
const compare = (statements: readonly Statement[], ...requests: ObservedRequest[]) =>
  compareGrants(requests, (each) => (each === file ? statements : []));

test('a call without a grant is denied, with the name of its function', () => {
  expect(grantedFiles).toContain(file);
  expect(compare([], asks('GetItem', 'A#1'))).toEqual({
    denied: [`The role of ${file} does not allow dynamodb:GetItem on A#1.`],
    unneeded: [],
  });
});

test('a statement, and a kind of items, that no call needs', () => {
  const statements = [on('GetItem', 'A#*', 'B#*'), on('PutItem', 'A#*')];
  expect(compare(statements, asks('GetItem', 'A#1'))).toEqual({
    denied: [],
    unneeded: [`${file} dynamodb:GetItem on table B#*`, `${file} dynamodb:PutItem on table A#*`],
  });
});

test('a statement is not needed for calls that another statement allows, too', () => {
  expect(
    compare([on('GetItem', '*'), on('GetItem', 'A#*')], asks('GetItem', 'A#1'), asks('GetItem', 'B#1')),
  ).toEqual({
    denied: [],
    unneeded: [`${file} dynamodb:GetItem on table A#*`],
  });
});

test('an attribute that no call names', () => {
  const attributes = ['pk', 'sk', 'name', 'h*', 'note'];
  const statement: Statement = {
    action: 'dynamodb:PutItem',
    resource: 'table',
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A#*'], 'dynamodb:Attributes': attributes },
      Null: { 'dynamodb:Attributes': 'false' },
    },
  };
  const request = { ...asks('PutItem', 'A#1'), attributes: () => ['pk', 'sk', 'name', 'h1'] };
  expect(compare([statement], request)).toEqual({
    denied: [],
    unneeded: [`${file} dynamodb:PutItem on table A#* with the attribute note`],
  });
});
