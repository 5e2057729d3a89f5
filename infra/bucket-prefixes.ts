/** The prefixes of the keys of objects, by their kind. Who may use an object, and when it expires, follows from them. */
export const bucketPrefixes = {
  logo: 'logos/',
  pdf: 'pdfs/',
  export: 'exports/',
  statementFile: 'statements/',
} as const;
