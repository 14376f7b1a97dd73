#!/usr/bin/env node
// npm makes a command only of a file that is there when it installs, and in a checkout the bundle comes later.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/bundle/bin.js', import.meta.url);
if (existsSync(bundle)) await import(bundle.href);
else {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  process.stderr.write(`replsim is not built yet: run "npm run build" in ${root}, then this command again\n`);
  process.exitCode = 2;
}
