/**
 * Checks messages against the description of Stripe's interface. Stripe generates the types of its package `stripe` from the
 * OpenAPI description that the package names in `OPENAPI_VERSION`, and both have the MIT license. So the types are the
 * description, in the version of the package, and the project keeps no copy.
 */
import { resolve } from 'node:path';
import ts from 'typescript';
import { decodeForm } from '../../infra/local/provider-doubles/stripe/form.ts';

/** The types of the parameters and of the answer of each operation that the adapter calls. */
const operations = `import type Stripe from 'stripe';
  export interface Operations {
    'POST /v1/checkout/sessions': { params: Stripe.Checkout.SessionCreateParams; answer: Stripe.Checkout.Session };
    'GET /v1/checkout/sessions': { params: Stripe.Checkout.SessionListParams; answer: Stripe.ApiList<Stripe.Checkout.Session> };
    'GET /v1/checkout/sessions/*': { params: Stripe.Checkout.SessionRetrieveParams; answer: Stripe.Checkout.Session };
    'POST /v1/checkout/sessions/*/expire': { params: Stripe.Checkout.SessionExpireParams; answer: Stripe.Checkout.Session };
    'GET /v1/payment_intents': { params: Stripe.PaymentIntentListParams; answer: Stripe.ApiList<Stripe.PaymentIntent> };
    'GET /v1/payment_intents/*': { params: Stripe.PaymentIntentRetrieveParams; answer: Stripe.PaymentIntent };
    'POST /v1/refunds': { params: Stripe.RefundCreateParams; answer: Stripe.Refund };
    'GET /v1/refunds': { params: Stripe.RefundListParams; answer: Stripe.ApiList<Stripe.Refund> };
    'GET /v1/disputes': { params: Stripe.DisputeListParams; answer: Stripe.ApiList<Stripe.Dispute> };
    'GET /v1/account': { params: Stripe.AccountRetrieveCurrentParams; answer: Stripe.Account };
  }`;

/** A message, and whether it is a form, in which all values are texts. */
interface Checked {
  readonly checker: ts.TypeChecker;
  readonly isForm: boolean;
}

export interface StripeDescription {
  /** Returns what is wrong with the parameters of a request: unknown and missing names, and wrong values. */
  checkRequest(operation: string, params: URLSearchParams): string[];
  /** Returns what is wrong with an answer: unknown names and wrong values. Answers of the double may lack some. */
  checkAnswer(operation: string, answer: unknown): string[];
}

/** Reads the types. Takes some seconds. @throws Error if the package does not have one of them */
export function readStripeDescription(): StripeDescription {
  const file = resolve(import.meta.dirname, 'stripe-operations.ts');
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, operations, version) : getSourceFile(name, version, ...rest);
  host.fileExists = (name) => name === file || fileExists(name);
  const program = ts.createProgram([file], options, host);
  const source = program.getSourceFile(file);
  const [problem] = program.getSemanticDiagnostics(source);
  if (!source || problem) throw new Error(ts.flattenDiagnosticMessageText(problem?.messageText, '\n'));
  const checker = program.getTypeChecker();
  const [declaration] = source.statements.filter(ts.isInterfaceDeclaration);
  const typeOf = (operation: string, part: 'params' | 'answer') => {
    const found = declaration && checker.getTypeAtLocation(declaration).getProperty(operation);
    const property = found && checker.getTypeOfSymbol(found).getProperty(part);
    if (!property) throw new Error(`The description does not have ${operation}.`);
    return checker.getTypeOfSymbol(property);
  };
  return {
    checkRequest: (operation, params) =>
      check({ checker, isForm: true }, typeOf(operation, 'params'), decodeForm(params), operation),
    checkAnswer: (operation, answer) =>
      check({ checker, isForm: false }, typeOf(operation, 'answer'), answer, operation),
  };
}

function check(checked: Checked, type: ts.Type, value: unknown, path: string): string[] {
  if (!type.isUnion()) return checkOne(checked, type, value, path);
  const absent = ts.TypeFlags.Undefined | ts.TypeFlags.Null;
  const members = type.types.filter(({ flags }) => value === null || value === '' || !(flags & absent));
  const all = members.map((each) => checkOne(checked, each, value, path));
  return all.reduce((best, errors) => (errors.length < best.length ? errors : best));
}

function checkOne({ checker, isForm }: Checked, type: ts.Type, value: unknown, path: string): string[] {
  const { flags } = type;
  const expect = (isRight: boolean) =>
    isRight ? [] : [`${path} is not ${checker.typeToString(type)}: ${JSON.stringify(value)}`];
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
  if (type.isStringLiteral() || type.isNumberLiteral())
    return expect(isForm ? value === String(type.value) : value === type.value);
  if (flags & ts.TypeFlags.BooleanLiteral)
    return expect((isForm ? value : String(value)) === checker.typeToString(type));
  if (flags & ts.TypeFlags.Undefined) return expect(false);
  if (flags & ts.TypeFlags.Null) return expect(value === (isForm ? '' : null));
  if (flags & ts.TypeFlags.Number)
    return expect(isForm ? typeof value === 'string' && /^-?\d+$/.test(value) : typeof value === 'number');
  const isText = type.isIntersection() && type.types.some((each) => each.flags & ts.TypeFlags.String);
  if (isText || flags & ts.TypeFlags.String) return expect(typeof value === 'string');
  if (typeof value !== 'object' || value === null) return expect(false);
  const checked = { checker, isForm };
  const item = checker.isArrayType(type) ? checker.getIndexTypeOfType(type, ts.IndexKind.Number) : undefined;
  if (item) {
    if (!isForm && !Array.isArray(value)) return expect(false);
    return Object.entries(value).flatMap(([index, each]) => check(checked, item, each, `${path}[${index}]`));
  }
  return checkObject(checked, type, value, path);
}

function checkObject(checked: Checked, type: ts.Type, value: object, path: string): string[] {
  const { checker, isForm } = checked;
  const rest = checker.getIndexTypeOfType(type, ts.IndexKind.String);
  const errors = Object.entries(value).flatMap(([name, each]) => {
    const property = checker.getPropertyOfType(type, name);
    const inner = property ? checker.getTypeOfSymbol(property) : rest;
    return inner ? check(checked, inner, each, `${path}.${name}`) : [`${path}.${name} is unknown`];
  });
  const missing = checker
    .getPropertiesOfType(type)
    .filter((each) => isForm && !(each.flags & ts.SymbolFlags.Optional) && !(each.name in value));
  return [...errors, ...missing.map(({ name }) => `${path}.${name} is missing`)];
}
