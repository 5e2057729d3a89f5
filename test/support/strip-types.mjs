// Transforms TypeScript for Jest with Node's own type stripping, so that tests run the same code as Node.
import { stripTypeScriptTypes } from 'node:module';

export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
