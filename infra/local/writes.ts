/** Tells the local stack when a function of this process has written an item, so that it need not poll the stream all the time. */

/** The part of the inputs of commands that create items. */
interface Input {
  readonly Item?: { readonly pk?: unknown };
  readonly TransactItems?: readonly { readonly Put?: Input }[];
}

const name = 'listenToWrites';

/**
 * Calls `listener` after each call of this process that creates items with a partition key of `pkPrefix`, also if the call
 * failed: it may have taken effect. Load the functions and set their environment first.
 * @returns a function that ends this
 */
export async function listenToWrites(pkPrefix: string, listener: () => void): Promise<() => void> {
  // The module reads the environment when it is loaded.
  const { dynamodb } = await import('../../shared/store/client.ts');
  const isCreated = ({ Item }: Input) => Item?.pk !== undefined && keyOf(Item.pk).startsWith(pkPrefix);
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } finally {
        const input = args.input as Input;
        if ([input, ...(input.TransactItems ?? []).map(({ Put }) => Put ?? {})].some(isCreated)) listener();
      }
    },
    { step: 'initialize', priority: 'high', name },
  );
  return () => void dynamodb.middlewareStack.remove(name);
}

/** Returns a key that is a plain value or, on the long path, the value of an attribute. */
function keyOf(key: unknown): string {
  return typeof key === 'string' ? key : ((key as { S?: string }).S ?? '');
}
