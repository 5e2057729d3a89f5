/**
 * Jest's environment of Node, with what the files of a worker share. Jest evaluates the modules of a file again for each file, and
 * most files check answers against the OpenAPI document. So the worker itself generates the documents and compiles their schemas,
 * once: both took each file a quarter of a second.
 */
import { TestEnvironment } from 'jest-environment-node';
import { expectDocumented } from './document.ts';

export default class SharingEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    // A function of its own, because Jest deletes the properties of what it finds here after each file.
    this.global.expectDocumented = (...response) => expectDocumented(...response);
  }
}
