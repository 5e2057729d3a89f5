/** Derives the input and output types of an operation from the OpenAPI document. Contains types only. */

/** The body of the successful response of `Operation`. */
export type ApiResponseBody<Operation> = Json<Member<Member<Operation, 'responses'>, 200 | 201>>;

/** The request body of `Operation`. */
export type ApiRequestBody<Operation> = Json<Member<Operation, 'requestBody'>>;

/** The query parameters of `Operation`. */
export type Query<Operation> = NonNullable<Member<Member<Operation, 'parameters'>, 'query'>>;

/** The value of a JSON body, or the bytes of a file. */
type Json<Content> = Content extends { content: { 'application/json': infer Value } }
  ? Value
  : Content extends { content: { 'application/pdf': unknown } }
    ? Uint8Array
    : never;

/** The property `Key` of each member of a union. */
type Member<Whole, Key> = Whole extends unknown ? (Key extends keyof Whole ? Whole[Key] : never) : never;
