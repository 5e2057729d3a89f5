/** What goes into an operation of the OpenAPI document, and what comes out of it. Types only. */

/** What `Operation` answers when it succeeds. */
export type Answer<Operation> = Json<Member<Member<Operation, 'responses'>, 200 | 201>>;

/** The body that `Operation` takes. */
export type Body<Operation> = Json<Member<Operation, 'requestBody'>>;

/** The query that `Operation` takes. */
export type Query<Operation> = NonNullable<Member<Member<Operation, 'parameters'>, 'query'>>;

type Json<Content> = Content extends { content: { 'application/json': infer Value } } ? Value : never;

/** Of each member of a union, what it has under `Key`. */
type Member<Whole, Key> = Whole extends unknown ? (Key extends keyof Whole ? Whole[Key] : never) : never;
