#!/usr/bin/env node
// npm makes a command only of a file that is there when it installs, and in a checkout the bundle comes later.
const { existsSync } = require('node:fs');
const { join, sep } = require('node:path');
const { load } = require('./load.js');

const bundle = join(__dirname, '../dist/bundle/bin.cjs');
if (existsSync(bundle)) load(bundle);
else {
  const root = join(__dirname, '../../..') + sep;
  process.stderr.write(`replsim is not built yet: run "npm run build" in ${root}, then this command again\n`);
  process.exitCode = 2;
}
