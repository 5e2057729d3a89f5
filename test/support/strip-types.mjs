// Jest's transform for TypeScript: Node's own type stripping, so that tests run exactly what Node runs.
import { stripTypeScriptTypes } from 'node:module';

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
