import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { main } from '../../packages/cli/src/main.ts';
import { testIo } from '../../packages/cli/test/io.ts';
import { serveWith } from '../../packages/cli/test/serving.ts';
import { read, root } from './markdown.ts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/**
 * Carries out a line of a shell as the docs have it: replsim's commands run as they stand, of the others it is looked at whether
 * they can be. What is written to `/tmp/` goes to a folder of the test's, and a set takes ports that are free.
 * @returns what it prints
 * @throws what is wrong with it
 */
export async function runLine(line: string, out: string): Promise<string> {
  let printed = '';
  for (const command of line.replace(/(^|\s+)#.*$/, '').split(' && ')) {
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
    const args = argumentsOfReplsim(words);
    if (args !== undefined)
      printed += await runReplsim(
        args.map((word) => word.replace(/^\/tmp\//, `${out}/`)),
        out,
      );
    else if (words.length > 0) check(words);
  }
  return printed;
}

/** What follows `replsim`, run by npm or in the container of that name, whose default is to serve. */
function argumentsOfReplsim(words: readonly string[]): readonly string[] | undefined {
  if (words[0] === 'npx' && words[1] === 'replsim') return words.slice(2);
  if (words[0] !== 'docker' || words[1] !== 'run') return undefined;
  const args = words.slice(words.indexOf('replsim') + 1);
  return args.length === 0 ? ['serve'] : args;
}

async function runReplsim(args: readonly string[], out: string): Promise<string> {
  if (args[0] === 'serve') {
    const free = ['--port', '0', ...(args.includes('--studio') ? ['--studio', '0'] : [])];
    const serving = await serveWith({ studioPage: pageIn(out) }, [...args.slice(1), ...free]);
    const code = await serving.interrupt();
    if (code !== 0) throw new Error(`replsim ${args.join(' ')}: exit code ${code}: ${serving.err()}`);
    return serving.out();
  }
  const io = testIo();
  const code = await main(args, io);
  if (code !== 0) throw new Error(`replsim ${args.join(' ')}: exit code ${code}: ${io.stdout}${io.stderr}`);
  return io.stdout;
}

/** In the place of the studio's, which nobody has built here. */
function pageIn(folder: string): URL {
  mkdirSync(join(folder, 'page'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<html><head></head></html>');
  return pathToFileURL(`${join(folder, 'page')}/`);
}

/** Never by its name: a registry has whatever somebody has published under it. */
const INSTALL = /^npm install --save-dev \.\/replsim-\d+\.\d+\.\d+\.tgz( mongodb)?$/;

/** What would not do in a checkout. */
function check(words: readonly string[]): void {
  const [program, first, second] = words;
  const command = words.join(' ');
  if (command === 'npm ci' || INSTALL.test(command)) return;
  if (command === 'docker build --tag replsim .') {
    if (!existsSync(join(root, 'Dockerfile'))) throw new Error(`${command}: no Dockerfile`);
  } else if (program === 'npm') {
    const name = first === 'run' ? second! : first!;
    if (scripts[name] === undefined) throw new Error(`package.json has no script for "${command}"`);
  } else if (program === 'npx' && first === 'vitest' && second === 'run') {
    const missing = words.slice(3).filter((path) => !path.startsWith('-') && !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`${command}: no ${missing.join(', ')}`);
  } else if (program === 'npx' && first === 'mongosh') {
    if (!/^mongodb:\/\/(\w+:\w+@)?127\.0\.0\.1:\d+\/\?replicaSet=\w+(&readPreference=nearest)?$/.test(second!))
      throw new Error(`${command}: no set`);
  } else if (!existsSync(join(root, program!))) throw new Error(`${command}: no such program here`);
}
