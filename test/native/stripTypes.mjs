import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/experimental';

/** Takes the types out of our sources as Node loads them, and leaves a source map for `positions.ts`. */
export async function load(url, context, next) {
  if (!/\/packages\/[\w-]+\/src\/.*\.ts$/.test(url)) return next(url, context);
  const file = fileURLToPath(url);
  const options = { lang: 'ts', sourcemap: true, typescript: { onlyRemoveTypeImports: true } };
  const { code, map, errors } = transformSync(file, await readFile(file, 'utf8'), options);
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => `${file}: ${message}`).join('\n'));
  const inline = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString('base64');
  const source = `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  return { format: 'module', source, shortCircuit: true };
}
