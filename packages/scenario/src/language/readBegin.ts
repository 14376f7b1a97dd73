import type { ReplSetOptions } from '@replsim/replset';
import type { Source } from '../file/source.ts';
import type { Step } from '../scenario.ts';
import type { BeginAction } from '../steps/begin.ts';
import type { ScenarioInput } from './scenarioSchema.ts';
import { adviceOnStart } from './warnTimeouts.ts';

/** The step before the first, where a file begins with a set that stands; that there will be one is asked for here. */
export function readBegin(source: Source, { begin }: ScenarioInput, options: ReplSetOptions): Step[] {
  if (begin === undefined) return [];
  const path = ['begin'];
  const refuse = (message: string, suggestion: string) => source.mistakeAtPath(path, message, suggestion);
  if (options.initiate === false)
    refuse('a set that is not initiated gets no primary', 'leave out "initiate: false", or "begin"');
  else if (options.members.every(({ standalone, spare }) => standalone || spare))
    refuse('there is no set that could get a primary', 'leave "begin" out');
  const delayed = options.members.filter(({ config }) => (config?.secondaryDelaySecs ?? 0) > 0).map(({ name }) => name);
  const { electionTimeoutMillis } = options.settings ?? {};
  const action: BeginAction = { kind: 'begin', delayed, electionTimeoutMillis, advice: adviceOnStart(options) };
  return [{ index: 0, line: source.lineOf(path), key: 'begin', text: `begin: ${begin}`, action }];
}
