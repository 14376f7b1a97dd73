// A step of the build: the studio's page goes with the command, which serves it by `replsim studio`, and the schema of scenarios with both:
// the first line of a scenario names it for editors.

const { cpSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const to = join(__dirname, 'dist/studio');
rmSync(to, { recursive: true, force: true });
cpSync(join(__dirname, '../studio/dist/site'), to, { recursive: true });
cpSync(join(__dirname, '../scenario/schema.json'), join(__dirname, 'dist/schema.json'));
