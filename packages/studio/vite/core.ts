import { isBuiltin } from 'node:module';
import { defaultClientConditions, type Plugin, type UserConfig } from 'vite';
import { ownProgram } from './ownProgram.ts';

/** The one file of the core that needs a file system. */
const DIRECTORIES = /\/storage\/src\/directoryDatabase\.ts$/;
/** What stands in its place. */
const NO_DIRECTORIES = `export function openDirectoryDatabase() {
  throw new Error('a browser has no directories to keep data in: leave dbpath out');
}`;

/** What the core needs to be taken into a page, or into a worker of it: it is read from its sources. */
export const coreInBrowser = {
  base: './',
  resolve: {
    conditions: ['@replsim/source', ...defaultClientConditions],
  },
  plugins: [onlyBrowser(), ownProgram()],
} satisfies UserConfig;

/** Vite puts an empty object in the place of what only Node has, and says so in passing; here it is an error. */
function onlyBrowser(): Plugin {
  return {
    name: 'replsim:only-browser',
    enforce: 'pre',
    load: (id) => (DIRECTORIES.test(id) ? NO_DIRECTORIES : undefined),
    async resolveId(source, importer) {
      if (!isBuiltin(source)) return;
      // Of some there is a package of the same name, which its dependants mean.
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (!found?.id.includes('/node_modules/')) this.error(`${importer} imports ${source}, which no browser has`);
    },
  };
}
