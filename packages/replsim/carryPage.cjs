// A step of the build: the studio's page goes with the command, which serves it by `replsim studio`.

const { cpSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const to = join(__dirname, 'dist/studio');
rmSync(to, { recursive: true, force: true });
cpSync(join(__dirname, '../studio/dist/site'), to, { recursive: true });
