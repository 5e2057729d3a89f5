/** Names the generator of the models and operations in Python, in the release for which the client is written. */
export const pythonGenerator = {
  requirement: 'openapi-python-client==0.29.1',
  /** The generator knows few content types (github.com/openapi-generators/openapi-python-client, content_type_overrides). */
  config: {
    content_type_overrides: { 'application/pdf': 'application/octet-stream' },
    literal_enums: true,
  },
} as const;
