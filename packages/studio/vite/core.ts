import { isBuiltin } from 'node:module';
import { defaultClientConditions, type Plugin, type UserConfig } from 'vite';
import { IN_NO_PAGE, LEFT_OUT, type LeftOut } from './leftOut.ts';
import { noJsonSchema } from './noJsonSchema.ts';
import { smaller } from './smaller.ts';
import { withoutRuns } from './withoutRuns.ts';

/** The one file of the core that asks for a file system, and how. */
const DISK = /\/storage\/src\/disk\/disk\.ts$/;
const DIRECTORIES = "await import('./directoryDatabase.ts')";
/** What stands in its place. */
const NO_DIRECTORIES = `
function openDirectoryDatabase() {
  throw new Error('a browser has no directories to keep data in: leave dbpath out');
}`;

/** What the core needs to be taken into a page, or into a worker of it: it is read from its sources. */
export const coreInBrowser = coreWithout([...LEFT_OUT, ...IN_NO_PAGE], withoutRuns());

/** The same with all that a scenario may need: see `src/later/whole.ts`. */
export const wholeCoreInBrowser = coreWithout(IN_NO_PAGE);

function coreWithout(leftOut: readonly LeftOut[], ...plugins: readonly Plugin[]) {
  return {
    base: './',
    resolve: {
      conditions: ['@replsim/source', ...defaultClientConditions],
    },
    plugins: [onlyBrowser(leftOut), ...plugins, noJsonSchema(), smaller()],
  } satisfies UserConfig;
}

/** Vite puts an empty object in the place of what only Node has, and says so in passing; here it is an error. */
function onlyBrowser(leftOut: readonly LeftOut[]): Plugin {
  return {
    name: 'replsim:only-browser',
    enforce: 'pre',
    load: (id) => leftOut.find(({ file }) => id.endsWith(`/packages/${file}`))?.instead,
    transform(code, id) {
      if (!DISK.test(id)) return;
      if (!code.includes(DIRECTORIES)) this.error(`${id} asks for its directories in a way that is not known here`);
      return code.replace(DIRECTORIES, '{ openDirectoryDatabase }') + NO_DIRECTORIES;
    },
    async resolveId(source, importer) {
      if (!isBuiltin(source)) return;
      // Of some there is a package of the same name, which its dependants mean.
      const found = await this.resolve(source, importer, { skipSelf: true });
      if (!found?.id.includes('/node_modules/')) this.error(`${importer} imports ${source}, which no browser has`);
    },
  };
}
