/**
 * Replaces `@aws-sdk/endpoint-cache` in the bundles of the functions.
 *
 * The DynamoDB client makes this cache for endpoint discovery, which the functions do not use. The original brings a library
 * of 7 KB. This one remembers nothing, so with endpoint discovery each call would ask for its endpoint.
 */

/** A cache of the SDK that is always empty. */
export class EndpointCache {
  get(): undefined {
    return undefined;
  }

  getEndpoint(): undefined {
    return undefined;
  }

  has(): boolean {
    return false;
  }

  set(): void {}

  delete(): void {}

  clear(): void {}
}
