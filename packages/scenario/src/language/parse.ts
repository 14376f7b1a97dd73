import { issuesOf, type Latency } from '@replsim/replset';
import { readFile } from '../file/readFile.ts';
import type { Source } from '../file/source.ts';
import { mentions } from '../judging/judgeConcerns.ts';
import { WordJudge } from '../judging/judgeWords.ts';
import { Reader } from '../reading/reader.ts';
import type { Scenario } from '../scenario.ts';
import { reportIssues } from '../schema/issues.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { readStep } from '../steps/readStep.ts';
import { readChallenge } from './challenge.ts';
import { withConf } from './conf/withConf.ts';
import { readExplore } from './explore.ts';
import { judgeHistories } from './judgeHistories.ts';
import { readMeanwhile } from './meanwhile.ts';
import { readBegin } from './readBegin.ts';
import { readHide } from './readHide.ts';
import { DEFAULT_VERSION, declaredMembers, declaredVersions, readSet } from './readSet.ts';
import { readUsers, usersStep } from './readUsers.ts';
import { type ScenarioInput, scenarioSchema } from './scenarioSchema.ts';
import { readVariants } from './variants.ts';
import { warnForgotten } from './warnForgotten.ts';
import { warnClaimless, warnIdle } from './warnIdle.ts';
import { warnTimeouts } from './warnTimeouts.ts';
import { warnUnwritten } from './warnUnwritten.ts';
import { withoutMongodSettings } from './withoutMongodSettings.ts';
import { readZones, zoneStep } from './zones.ts';

const DEFAULT_SEED = 1;

/**
 * Reads a scenario.
 * @param file the name that messages show
 * @throws InvalidScenario with all mistakes of the file
 */
export function parseScenario(text: string, file: string): Scenario {
  if (typeof text !== 'string')
    throw new TypeError(
      'parseScenario takes the text of a scenario, and the name of its file: parseScenario(text, "a.yaml")',
    );
  return readFile(text, file, { what: 'scenario', needs: 'steps:' }, (source) => {
    const scenario = read(source);
    const { steps, challenge } = source.toPlain() as ScenarioInput;
    if (source.mistakes.length === 0 && challenge === undefined) warnClaimless(source, steps);
    const variants = readVariants(source, read);
    const warnings = source.warnings.sort((a, b) => a.line - b.line || a.column - b.column);
    return { ...scenario, variants, warnings };
  });
}

/** Whether a step may set clocks: a fault, or a client's command for one. */
function setsClocks(steps: unknown): boolean {
  return plainSteps(steps).some(({ step }) => 'clock' in step || mentions(step, /replsimFault/));
}

/** Whatever the schema finds right is read on, so that one mistake does not hide the others. */
function read(source: Source): Scenario {
  // The schema transforms nothing, so that what it finds right can be taken as it is.
  const given = withoutMongodSettings(source, source.toPlain()) as ScenarioInput;
  const issues = issuesOf(scenarioSchema, given);
  reportIssues(source, issues);
  const wrongSteps = new Set(issues.filter(({ path }) => path[0] === 'steps').map(({ path }) => path[1]));
  const headIsRight = issues.every(({ path }) => path[0] === 'steps' || path[0] === 'variants');
  const input = headIsRight ? withConf(source, given, DEFAULT_VERSION) : given;

  const reader = new Reader(source, declaredMembers(input));
  if (headIsRight) reader.zones = readZones(source, input, reader);
  const options = headIsRight ? readSet(source, input) : { members: [] };
  if (headIsRight) reader.elapsed.of(options, setsClocks(input.steps) || mentions(input.meanwhile, /\bclock\b/));
  if (headIsRight) readUsers(reader, input);
  const versions = declaredVersions(input);
  reader.releases = [...new Set(versions.values())];
  reader.skipsIndexChecks = mentions(input.steps, /skipTTLIndex/);
  const plain = plainSteps(input.steps).map(({ step }) => step);
  const judge = new WordJudge(source, { versions, input, steps: plain });
  const steps = (Array.isArray(input.steps) ? input.steps : []).flatMap((step, index) =>
    wrongSteps.has(index) || wrongSteps.has(undefined)
      ? []
      : (readStep(reader, { path: ['steps', index], index: index + 1 }, step, judge) ?? []),
  );
  const meanwhile = headIsRight ? readMeanwhile(reader, input.meanwhile, judge) : [];
  const challenge = headIsRight ? readChallenge(reader, input.challenge, input.steps) : undefined;
  const exploring = headIsRight ? readExplore(reader, input.explore) : undefined;
  if (issues.length === 0) {
    judgeHistories(source, input.steps);
    warnUnwritten(source, input.steps);
    warnForgotten(source, { steps: input.steps, members: options.members, zones: reader.zones });
    warnIdle(source, input.steps);
    warnTimeouts(source, options);
  }
  const first = headIsRight ? zoneStep(reader, reader.zones, input.zones?.latencyMs as Latency | undefined) : [];
  const begin = headIsRight ? readBegin(source, input, options) : [];
  const users = headIsRight ? usersStep(reader, input) : [];
  const { name, description, seed = DEFAULT_SEED } = input;
  return {
    file: source.file,
    name,
    description: description?.trim?.(),
    seed,
    options,
    steps: [...first, ...begin, ...users, ...steps],
    meanwhile,
    ...(challenge && { challenge }),
    ...(exploring && { exploring }),
    hidesStart: headIsRight && readHide(source, input),
    variants: new Map(),
    warnings: [],
  };
}
