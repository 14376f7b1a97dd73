import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/experimental';

/** A rule that is broken as its file is loaded: `{ file, from, to }`. Set by `npm run mutations`. */
const mutation = process.env.REPLSIM_MUTATION && JSON.parse(process.env.REPLSIM_MUTATION);

function mutated(file, text) {
  if (!mutation || !file.endsWith(`/${mutation.file}`)) return text;
  const parts = text.split(mutation.from);
  if (parts.length !== 2) throw new Error(`${file}: the text of the mutation occurs ${parts.length - 1} times`);
  writeSync(2, 'REPLSIM_MUTATION applied\n');
  return parts.join(mutation.to);
}

/** Takes the types out of our sources as Node loads them, and leaves a source map for `positions.ts`. */
export async function load(url, context, next) {
  if (!/\/(packages\/[\w-]+\/src|bench\/abuse)\/.*\.ts$/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  const options = { lang: 'ts', sourcemap: true, typescript: { onlyRemoveTypeImports: true } };
  const { code, map, errors } = transformSync(file, mutated(file, await readFile(file, 'utf8')), options);
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => `${file}: ${message}`).join('\n'));
  const inline = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  return { format: 'module', source, shortCircuit: true };
}
