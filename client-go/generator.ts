/** The generator of the types and requests in Go, in the release for which the client is written. */
export const goGenerator = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
