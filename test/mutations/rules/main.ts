import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Random } from '@replsim/kernel';
import { allRules } from './allRules.ts';
import { attempt, endAll, type Outcome } from './attempt.ts';
import { isEqual, type KilledRule } from './mutatedRule.ts';

// Breaks rule after rule and sees whether the test that the row names fails. npm run mutations -- --only ttl --jobs 2

const USAGE = `npm run mutations -- [options]
  --only PATTERN   rows whose file, test or reason matches the regular expression
  --some N         N rows of these, drawn by --seed K (1)
  --jobs N         this many tests at once; as many as there are cores
  --honest         runs the tests of the rows with nothing broken: all must pass
  --json           one JSON document instead of lines`;

const options = {
  only: { type: 'string', default: '' },
  some: { type: 'string' },
  seed: { type: 'string', default: '1' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  honest: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** What came of a row. */
interface Line extends Outcome {
  readonly rule: KilledRule;
}

function fail(reason: string): never {
  console.error(`${reason}\n\n${USAGE}`);
  process.exit(2);
}

function read() {
  try {
    const { values } = parseArgs({ options });
    const numberOf = (name: 'some' | 'seed' | 'jobs') => {
      const value = Number(values[name]);
      return Number.isInteger(value) && value > 0
        ? value
        : fail(`--${name} takes a whole number above 0, not ${values[name]}`);
    };
    return {
      ...values,
      only: new RegExp(values.only),
      jobs: numberOf('jobs'),
      seed: numberOf('seed'),
      some: values.some === undefined ? Number.POSITIVE_INFINITY : numberOf('some'),
    };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

const asked = read();

/** The rows that were asked for, in the order of the table. */
function chosen(): KilledRule[] {
  const rules = allRules
    .filter((rule): rule is KilledRule => !isEqual(rule))
    .filter(({ file, test, why }) => asked.only.test(`${file} ${test} ${why}`));
  const random = Random.fromSeed(asked.seed);
  while (rules.length > asked.some) rules.splice(random.int(0, rules.length), 1);
  return rules;
}

/** One run for each test that rows name, or one for each row. */
function distinct(rules: readonly KilledRule[]): KilledRule[] {
  if (!asked.honest) return [...rules];
  return [...new Map(rules.map((rule) => [`${rule.test} ${rule.title}`, rule])).values()];
}

function say({ rule, fate, detail }: Line): void {
  if (asked.json) return;
  const place = asked.honest ? [rule.test, rule.title].filter(Boolean).join(' · ') : `${rule.file}: ${rule.why}`;
  const isGood = asked.honest ? fate === 'survived' : fate === 'killed' || fate === 'hung';
  console.log(`${(asked.honest ? (isGood ? 'passed' : 'failed') : fate).padEnd(9)}${place}`);
  if (fate === 'hung') console.log(`         ${detail}, which is a kill`);
  if (!isGood) console.log(`         ${rule.test}: ${detail}\n       - ${rule.from}\n       + ${rule.to}`);
}

const alone = new Map<string, Promise<Outcome>>();

/** A test that fails with nothing broken, too, kills nothing. Each test is asked once. */
async function fateOf(rule: KilledRule): Promise<Outcome> {
  const outcome = await attempt(rule, asked.honest);
  if (asked.honest || (outcome.fate !== 'killed' && outcome.fate !== 'hung')) return outcome;
  const key = `${rule.test} ${rule.title}`;
  const unbroken = alone.get(key) ?? attempt(rule, true);
  alone.set(key, unbroken);
  const { fate, detail } = await unbroken;
  return fate === 'survived' ? outcome : { fate: 'wrong', detail: `it fails with nothing broken, too: ${detail}` };
}

async function runAll(rules: readonly KilledRule[]): Promise<Line[]> {
  const [waiting, lines]: [KilledRule[], Line[]] = [[...rules], []];
  const work = async () => {
    for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift()) {
      const line = { rule, ...(await fateOf(rule)) };
      lines.push(line);
      say(line);
    }
  };
  await Promise.all(Array.from({ length: asked.jobs }, work));
  return lines;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(130);
  });
}

const rules = distinct(chosen());
if (rules.length === 0) fail(`no row matches ${asked.only}`);
const lines = await runAll(rules);
const count = (fate: Outcome['fate']) => lines.filter((line) => line.fate === fate).length;
const equal = allRules.filter(isEqual).length;
if (asked.json) console.log(JSON.stringify(lines, undefined, 2));
else if (asked.honest) console.log(`${count('survived')} of ${lines.length} tests pass with nothing broken`);
else {
  const counts = `${count('killed')} killed, ${count('hung')} hung, ${count('survived')} survived, ${count('wrong')} wrong rows`;
  console.log(`${counts}; ${allRules.length} rows in the table, ${equal} of them equal`);
}
const isGood = asked.honest ? count('survived') === lines.length : count('killed') + count('hung') === lines.length;
process.exitCode = isGood ? 0 : 1;
