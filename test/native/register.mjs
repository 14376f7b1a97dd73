import { register } from 'node:module';

// A worker of vitest begins with this: Node itself loads our sources there. Vitest's own loader has the main process transform each module, which
// took a tenth of the time of all tests, and turns every name that a module imports into a property that is looked up at each use, another tenth.
process.setSourceMapsEnabled(true);
register('./stripTypes.mjs', import.meta.url);
