// What each process of `replsim run --jobs` runs.
const { join } = require('node:path');
const { load } = require('./load.js');

load(join(__dirname, '../dist/bundle/player.cjs'));
