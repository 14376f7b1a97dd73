import { document, strict, target, text } from '@replsim/replset';
import * as z from 'zod';
import { type Template, withDb } from '../file/placeholder.ts';
import { showDocument, showValue } from '../file/show.ts';
import type { Target } from '../scenario.ts';
import { databaseName, label, withDefault } from '../schema/parts.ts';
import { adviceOnPath } from '../stage/advice.ts';
import { endingOf, kept, showErrors, valueAt, WRITE_CONCERN_ERROR } from '../stage/answers.ts';
import { fill, withSecondaryOk } from '../stage/secondaryOk.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { step } from './row.ts';
import type { Stage } from './stage.ts';

/** What is asked, and where in the answer a value stands that is remembered. */
export interface Binding {
  readonly name: string;
  readonly on: Target;
  readonly command: Template;
  readonly path: string;
}

/** Of a value that is remembered so much is told. */
const LET_WIDTH = 80;

/** Remembers values for the steps after it. */
export const letStep = step({
  shape: z
    .record(
      label,
      strict('let', {
        on: target.describe('Which member to ask'),
        db: withDefault(databaseName, 'admin', 'The database'),
        command: document.describe('What is asked'),
        path: text.describe('Where in the reply: optimes.lastCommittedOpTime.ts'),
      }),
      { error: 'expected { name: { on, command, path } }' },
    )
    .describe('Remembers values of replies as $name, for later steps'),
  claimsNothing: true,
  read: (reader, path, input) => ({
    kind: 'let',
    bindings: Object.entries(input).map(([name, binding]): Binding => {
      const at = [...path, name];
      const on = reader.target([...at, 'on'], binding.on);
      if (name === 'now' || name === 'i' || name === 'rand')
        reader.source.mistakeAtKey(path, name, `$${name} has a meaning of its own`, 'choose another name');
      const command = withDb(reader.template([...at, 'command']), binding.db ?? 'admin');
      reader.lets.add(name);
      return { name, on, command, path: binding.path };
    }),
  }),
  perform: ({ bindings }, stage) => bindings.map((binding) => remember(binding, stage)).join(', '),
});

/** Asks at this instant and keeps a value of the answer. @returns which */
function remember({ name, on, command, path }: Binding, { set, members, fillings }: Stage): string {
  const [member] = members.toAsk(on);
  if (member === undefined || !members.answers(member))
    throw new StepFailure(
      `${name}, from ${on.join(', ')}`,
      member === undefined ? 'no such member answers' : members.silence(member),
    );
  const reply = set.ask(member, fill(withSecondaryOk(command), fillings.for(member)));
  const { ok, errors } = endingOf(reply);
  // As in a client step: what was done, but not to its write concern, nobody may count on.
  if (!ok || (errors.length > 0 && !path.startsWith(WRITE_CONCERN_ERROR)))
    throw new StepFailure(`${name}, from ${member}`, showErrors(errors), ok ? { wanted: 'writeConcern' } : {});
  const value = valueAt(reply, path);
  if (!value)
    throw new StepFailure(`${path} in the answer of ${member}`, showDocument(reply), {
      advice: adviceOnPath(path, reply),
    });
  fillings.lets.set(name, kept(value));
  return `${name} is ${showValue(value, LET_WIDTH)}`;
}
