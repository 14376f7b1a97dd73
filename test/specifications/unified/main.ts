import { specifications } from './specifications.ts';

// npm run specifications -- FOLDER [--only NAME] [--version V] [--auth] [--json]: the unified tests of the driver specifications, with the real
// driver against served sets, a fresh one for each specification.

process.exitCode = await specifications(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  ...(process.stderr.isTTY && { progress: (text) => process.stderr.write(`\r${text}\u001b[K\r`) }),
});
